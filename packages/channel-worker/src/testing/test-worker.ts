import type { Database } from '@tidings/db';
import { systemClock, systemIds } from '@tidings/platform';
import { createRecordingLogger, testSecretBox } from '@tidings/testing';
import type { Channel } from '../channel.ts';
import { createPolicyCache } from '../policies/policy-cache.ts';
import { createRecorder } from '../recorder.ts';
import type { SenderDependencies } from '../send-chunk.ts';
import { createSendSlots } from '../send-slots.ts';
import { createSettingsCache } from '../settings-cache.ts';

/** What an e-mail worker works with, around the test's channel; `lines` are its log. */
export function testWorker(
  db: Database,
  channel: Channel,
  overrides: Partial<SenderDependencies> & { readonly concurrency?: number } = {},
): SenderDependencies & { readonly lines: Record<string, unknown>[] } {
  const { concurrency = 5, ...rest } = overrides;
  const { logger, lines } = createRecordingLogger();
  return {
    channelName: 'EMAIL',
    channel,
    db,
    slots: createSendSlots(concurrency),
    recorder: createRecorder(db, logger),
    cache: createSettingsCache(db, testSecretBox, 'EMAIL'),
    policies: createPolicyCache(db, 'EMAIL'),
    clock: systemClock,
    logger,
    owner: systemIds.uuid(),
    claimLeaseMs: 30_000,
    sendLeaseMs: 30_000,
    claimRowsMax: concurrency * 2,
    slotWaitMs: 20_000,
    ...rest,
    lines,
  };
}

/** The database as it is while `isAway` says that statements with this text fail. */
export function failingDatabase(db: Database, text: string, isAway: () => boolean): Database {
  const query = (...args: unknown[]): unknown => {
    if (isAway() && String(args[0]).includes(text)) return Promise.reject(new Error('the database is away'));
    return (db.sql.query as (...all: unknown[]) => unknown).apply(db.sql, args);
  };
  return { ...db, sql: { query: query as Database['sql']['query'] } };
}
