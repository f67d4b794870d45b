import { expect, test } from '@jest/globals';
import type { Database } from '@tidings/postgres/database';
import { runOnce } from '../testing/run-once.ts';
import { idempotencyKeys } from './idempotency-keys.ts';

/** A database whose steps forget so many keys, the last one again and again. */
function databaseOf(...forgotten: readonly number[]): {
  readonly db: Database;
  readonly limits: unknown[];
} {
  const limits: unknown[] = [];
  const query = async (_sql: string, [, limit]: readonly unknown[]) => ({
    rowCount: forgotten[Math.min(limits.push(limit), forgotten.length) - 1],
  });
  return { db: { sql: { query } } as unknown as Database, limits };
}

const job = idempotencyKeys({ idempotencyKeyDays: 7 });

test('old keys are forgotten in steps of a thousand, until one finds fewer', async () => {
  const { db, limits } = databaseOf(1_000, 1_000, 3);

  await runOnce(job, { db });

  expect(limits).toEqual([1_000, 1_000, 1_000]);
});

test('a pass ends, however many there are', async () => {
  const { db, limits } = databaseOf(1_000);

  await runOnce(job, { db });

  expect(limits).toHaveLength(100);
});

test('a service that stops begins no further step', async () => {
  const { db, limits } = databaseOf(1_000);

  await expect(runOnce(job, { db, signal: AbortSignal.abort() })).rejects.toThrow('aborted');

  expect(limits).toEqual([]);
});
