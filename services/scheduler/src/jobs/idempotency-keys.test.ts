import { expect, test } from '@jest/globals';
import type { Database } from '@tidings/postgres/database';
import { runOnce } from '../testing/run-once.ts';
import { idempotencyKeys } from './idempotency-keys.ts';

/** A database whose steps delete these numbers of keys; the last number repeats. */
function databaseOf(...deleted: readonly number[]): {
  readonly db: Database;
  readonly limits: unknown[];
} {
  const limits: unknown[] = [];
  const query = async (_sql: string, [, limit]: readonly unknown[]) => ({
    rowCount: deleted[Math.min(limits.push(limit), deleted.length) - 1],
  });
  return { db: { sql: { query } } as unknown as Database, limits };
}

const job = idempotencyKeys({ idempotencyKeyDays: 7 });

test('old keys are deleted in steps of a thousand, until a step finds fewer', async () => {
  const { db, limits } = databaseOf(1_000, 1_000, 3);

  await runOnce(job, { db });

  expect(limits).toEqual([1_000, 1_000, 1_000]);
});

test('a pass ends, however many keys there are', async () => {
  const { db, limits } = databaseOf(1_000);

  await runOnce(job, { db });

  expect(limits).toHaveLength(100);
});

test('a stopping service begins no further step', async () => {
  const { db, limits } = databaseOf(1_000);

  await expect(runOnce(job, { db, signal: AbortSignal.abort() })).rejects.toThrow('aborted');

  expect(limits).toEqual([]);
});
