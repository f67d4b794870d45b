import type { ApplicationSettings } from '@tidings/contracts/application-settings';
import type { Channel as ChannelName } from '@tidings/contracts/channels/channels';
import type { ChunkRef } from '@tidings/contracts/ingest/records';
import type { Database } from '@tidings/postgres/database';
import { createFakeClock, createRecordingLogger, type FakeClock } from '@tidings/testing';
import { createAccounts } from '../../accounts/accounts.ts';
import type { Channel } from '../../channel.ts';
import { createChunkStatements } from '../../chunk-statements.ts';
import { resolvePolicies } from '../../policies/send-policies.ts';
import { createRecorder } from '../../recorder.ts';
import { sendChunk, type SenderDependencies } from '../../send-chunk.ts';
import { createSendSlots } from '../../send-slots.ts';
import type { SettingsCache } from '../../settings-cache.ts';
import { createUnmappedErrors } from '../../unmapped-errors.ts';
import { LostReplyError } from './gated-database.ts';

export const CONCURRENCY = 3;
const LEASE_MS = 30_000;

/** One process: the code of a real worker, with a clock that the simulation moves. */
export interface SimulatedWorker {
  readonly name: string;
  readonly clock: FakeClock;
  isIdle(): boolean;
  /** Processes the chunk until it is finished or the worker is stopped. */
  begin(chunk: ChunkRef): void;
  /** Like SIGTERM followed by a restart: finishes its work, then accepts new work. */
  stop(): void;
  /** Anything that went wrong and should not have. */
  readonly failures: unknown[];
}

class StoppedError extends Error {}

export type SimulatedWorkerOptions = {
  readonly name: string;
  readonly db: Database;
  readonly channelName: ChannelName;
  readonly channel: Channel;
  readonly cache: SettingsCache;
  /** What its application wants. */
  readonly wishes: ApplicationSettings;
};

export function createSimulatedWorker({
  name,
  db,
  channelName,
  channel,
  cache,
  wishes,
}: SimulatedWorkerOptions): SimulatedWorker {
  const clock = createFakeClock();
  const { logger } = createRecordingLogger();
  const slots = createSendSlots(CONCURRENCY, clock);
  const deps: SenderDependencies = {
    channelName,
    channel,
    db,
    accounts: createAccounts({ channelName, channel, db, slots, clock, logger, owner: name }),
    rateLimiters: { of: () => null },
    unmapped: createUnmappedErrors(channelName),
    recorder: createRecorder(db, logger, { concurrency: CONCURRENCY, clock }),
    cache,
    policies: { of: () => Promise.resolve(resolvePolicies(channelName, wishes)) },
    clock,
    logger,
    statements: createChunkStatements(db, {
      channel: channelName,
      owner: name,
      leaseMs: LEASE_MS,
      rowsMax: CONCURRENCY * 2,
      sendLeaseMs: LEASE_MS,
    }),
    sendLeaseMs: LEASE_MS,
    giveUp: new AbortController().signal,
    slotWaitMs: 20_000,
    renderAgainMs: 0,
    renderMsMax: 10_000,
    renderWaitMs: () => 0,
  };
  const failures: unknown[] = [];
  let stopping: AbortController | undefined;
  return {
    name,
    clock,
    failures,
    isIdle: () => stopping === undefined,
    begin(chunk) {
      const own = new AbortController();
      stopping = own;
      sendChunk(deps, chunk, own.signal)
        .catch((error: unknown) => {
          if (!(error instanceof LostReplyError) && !(error instanceof StoppedError))
            failures.push(error);
        })
        .finally(() => (stopping = undefined));
    },
    stop: () => stopping?.abort(new StoppedError('stopped')),
  };
}
