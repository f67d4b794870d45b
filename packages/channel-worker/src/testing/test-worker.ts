import { createInProcessCoordination, type Coordination } from '@tidings/coordination';
import { systemClock, systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createRecordingLogger, testSecretBox } from '@tidings/testing';
import { createAccounts } from '../accounts/accounts.ts';
import { createSendRateLimiters } from '../accounts/send-rate-limiter.ts';
import type { Channel } from '../channel.ts';
import { createChunkStatements } from '../chunk-statements.ts';
import { createPolicyCache, createSettingsCache } from '../settings-cache.ts';
import { createRecorder } from '../recorder.ts';
import type { DispatchDependencies } from '../handle-dispatch-records.ts';
import { sendChunk, type SenderDependencies } from '../send-chunk.ts';
import { createSendSlots, type SendSlots } from '../send-slots.ts';
import { createDetachedChunks, type DetachedChunks } from '../detached-chunks.ts';
import { createUnmappedErrors } from '../unmapped-errors.ts';

/** The dependencies for handling dispatch records and chunks. */
export type TestWorker = SenderDependencies &
  Omit<DispatchDependencies, 'detachedChunks'> & { readonly detachedChunks: DetachedChunks };

type TestWorkerOptions = Partial<TestWorker> & {
  /** Rows of a chunk that are claimed at a time. */
  readonly claimRowsMax?: number;
  readonly concurrency?: number;
  /** Of every application that sets no rate. */
  readonly ratePerSecond?: number;
  /** Where rates are shared; without it this worker is the only one. */
  readonly coordination?: Coordination;
  /** Workers that may share a rate while Redis is away. */
  readonly replicas?: number;
};

/** What a worker works with, of e-mails unless it says so, around the test's channel; `lines` are its log, `slots` those of its accounts. */
export function testWorker(
  db: Database,
  channel: Channel,
  options: TestWorkerOptions = {},
): TestWorker & { readonly lines: Record<string, unknown>[]; readonly slots: SendSlots } {
  const {
    concurrency = 5,
    claimRowsMax = concurrency * 2,
    ratePerSecond = 0,
    coordination,
    replicas = MANY,
    channelName = 'EMAIL',
    ...rest
  } = options;
  const { logger, lines } = createRecordingLogger();
  const { clock = systemClock, sendLeaseMs = 30_000 } = rest;
  const owner = systemIds.uuid();
  const slots = createSendSlots(concurrency, clock);
  const limiterOf = (coordination ?? createInProcessCoordination({ clock })).rateLimiters({
    replicas,
  });
  const worker: TestWorker = {
    handleChunk: (chunkToSend, signal) => sendChunk(worker, chunkToSend, signal),
    channelName,
    channel,
    db,
    accounts: createAccounts({ channelName, channel, db, slots, clock, logger, owner }),
    rateLimiters: createSendRateLimiters({
      limiter: limiterOf('send-email'),
      clock,
      perSecond: ratePerSecond,
    }),
    recorder: createRecorder(db, logger, { concurrency }),
    unmapped: createUnmappedErrors(channelName),
    cache: createSettingsCache(db, testSecretBox, channelName),
    policies: createPolicyCache(db, channelName),
    clock,
    logger,
    statements: createChunkStatements(db, {
      channel: channelName,
      owner,
      leaseMs: 30_000,
      rowsMax: claimRowsMax,
      sendLeaseMs,
    }),
    sendLeaseMs,
    giveUp: new AbortController().signal,
    slotWaitMs: 20_000,
    renderAgainMs: 0,
    renderMsMax: 10_000,
    renderWaitMs: () => 0,
    detachedChunks: createDetachedChunks({
      afterMs: 60_000,
      max: 10,
      ownedMax: 10,
      timers: clock,
      onError: (err) => logger.warn({ err }, 'a detached chunk failed'),
    }),
    ...rest,
  };
  return { ...worker, slots, lines };
}

/** A share of next to nothing: however late the shared buckets answer, no worker sends on its own account. */
const MANY = 1_000;

/** The database as it is while `isAway` says that statements with this text fail. */
export function failingDatabase(db: Database, text: string, isAway: () => boolean): Database {
  const query = (...args: unknown[]): unknown => {
    if (isAway() && String(args[0]).includes(text))
      return Promise.reject(new Error('the database is away'));
    return (db.sql.query as (...all: unknown[]) => unknown).apply(db.sql, args);
  };
  return { ...db, sql: { query: query as Database['sql']['query'] } };
}

/** The database as it is while each transaction takes too long. */
export function slowDatabase(db: Database): Database {
  return {
    ...db,
    transaction: () =>
      db.transaction<never>(
        async (sql) => {
          await sql.query('select pg_sleep(10)');
          throw new Error('the statement was not canceled');
        },
        { statementTimeoutMs: 1 },
      ),
  };
}
