import { afterAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '@tidings/platform';
import { connectTestDatabase } from '@tidings/testing';
import { createInTime } from './in-time.ts';

const db = connectTestDatabase({ poolMax: 4 });
afterAll(() => db.close());

const SLOW = 'select pg_sleep(60)';
const answer = () => Promise.resolve('answered');

describe('work of a search', () => {
  const inTime = createInTime(db, { timeoutMs: 5_000, places: 2 }, systemClock);

  test('is given up when it takes too long', async () => {
    const brief = createInTime(db, { timeoutMs: 20, places: 2 }, systemClock);

    expect(await brief('a', (sql) => sql.query(SLOW))).toBeNull();
    expect(await brief('a', (sql) => sql.query(SLOW), 2)).toBeNull();
  });

  test('begins no longer statement after a fifth of its time', async () => {
    let now = 0;
    const inFakeTime = createInTime(
      db,
      { timeoutMs: 1_000, places: 1 },
      { ...systemClock, monotonicMs: () => now },
    );
    const hadTime = await inFakeTime('a', async (_sql, hasTime) => {
      const before = hasTime();
      now += 200;
      return [before, hasTime()];
    });

    expect(hadTime).toEqual([true, false]);
  });

  test('changes nothing', async () => {
    const writing = inTime('a', (sql) => sql.query('create table other (id int)'));

    await expect(writing).rejects.toThrow('read-only');
  });

  test('that fails, fails', async () => {
    await expect(inTime('a', (sql) => sql.query('select 1 / 0'))).rejects.toThrow('zero');
  });

  test('leaves another application a place, and is given up when it waits too long', async () => {
    const held = Promise.withResolvers<void>();
    const brief = createInTime(db, { timeoutMs: 50, places: 2 }, systemClock);
    const own = brief('a', () => held.promise);

    expect(await brief('a', answer)).toBeNull();
    expect(await brief('b', answer)).toBe('answered');

    held.resolve();
    await own;
    expect(await brief('a', answer)).toBe('answered');
  });
});
