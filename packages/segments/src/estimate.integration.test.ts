import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { connectTestDatabase, createTestApplication } from '@tidings/testing';
import { askUsers } from './ask-users.ts';
import { drawUsers } from './draws.ts';
import { estimateMembers } from './estimate.ts';

const USERS = 9_000;
const db = connectTestDatabase();
afterAll(() => db.close());
const { applicationId } = await createTestApplication(db);
const context = {
  applicationId,
  definitions: [],
  segments: new Map<string, Condition>(),
  funnels: new Map(),
  eventRetentionDays: null,
  deliveryRetentionDays: null,
};
const estimate = async (condition: Condition, seed: number) => {
  const answer = await askUsers(db, async (sql, now) =>
    estimateMembers(sql, { context, condition, now }, await drawUsers(sql, applicationId, seed)),
  );
  if (answer === 'timed_out') throw new Error(answer);
  return answer;
};

beforeAll(async () => {
  await db.sql.query(
    `insert into users (id, application_id, custom_user_id, registered_at, custom_attributes)
     select gen_random_uuid(), $1, 'user ' || n, now(), jsonb_build_object('n', n) from generate_series(1, $2::int) n`,
    [applicationId, USERS],
  );
});

test('an estimate draws about 2,000 users, and others with another seed', async () => {
  const condition: Condition = { attribute: 'n', lte: 900 };
  const [first, second] = [await estimate(condition, 1), await estimate(condition, 2)];

  expect(first).toMatchObject({ isExact: false });
  expect(first.sample).toHaveLength(20);
  expect(first.sample).not.toEqual(second.sample);
  expect(first.high - first.low).toBeLessThan(450);
  expect(await estimate(condition, 1)).toEqual(first);
});

test('19 of 20 intervals have the count in them', async () => {
  const seeds = Array.from({ length: 40 }, (_, index) => index);
  const hits = await Promise.all(
    seeds.map(async (seed) => {
      const { low, high } = await estimate({ attribute: 'n', lte: 900 }, seed);
      return low <= 900 && 900 <= high;
    }),
  );

  // The ids and seeds are the same in each run, so is the number.
  expect(hits.filter(Boolean).length).toBeGreaterThanOrEqual(36);
});
