import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { readDueRuns } from '@tidings/automations/runs-due';
import { systemIds } from '@tidings/platform';
import { createOwnDatabase } from '@tidings/testing';

const db = await createOwnDatabase({ poolMax: 1 });
afterAll(() => db.close());

const SHARD = 3;

/** Runs of an application that are due, each of a person of its own; returns its id. */
async function dueRuns(count: number): Promise<string> {
  const applicationId = systemIds.uuid();
  await db.sql.query(
    `with applied as (
       insert into applications (id, name) values ($1, 'turns')
     ), people as (
       insert into users (id, application_id, custom_user_id, registered_at)
       select gen_random_uuid(), $1, 'user ' || n, now() from generate_series(1, $2::int) n
       returning id
     ), runs as (
       insert into automation_runs (application_id, automation_id, version, user_id, shard, trigger_time)
       select $1, $1, 1, id, $3, 0 from people
       returning id
     )
     insert into automation_timers (run_id, shard, application_id, automation_id, due_at)
     select id, $3, $1, $1, now() - interval '1 s' from runs`,
    [applicationId, count, SHARD],
  );
  return applicationId;
}

async function takenByApplication(): Promise<Record<string, number>> {
  const runs = await readDueRuns(db.sql, SHARD);
  return Object.fromEntries(
    [...Map.groupBy(runs, ({ applicationId }) => applicationId)].map(([id, own]) => [
      id,
      own.length,
    ]),
  );
}

beforeEach(() => db.sql.query('delete from automation_timers'));

test('an application whose timers are the only ones has all runs of a step', async () => {
  const alone = await dueRuns(700);

  expect(await takenByApplication()).toEqual({ [alone]: 500 });
});

test('three applications have a third of a step each at most', async () => {
  const [one, other, small] = [await dueRuns(300), await dueRuns(300), await dueRuns(20)];

  // A third for each that has timers, however few.
  expect(await takenByApplication()).toEqual({ [one]: 166, [other]: 166, [small]: 20 });
});

test('among many, each has a hundred', async () => {
  const many = await Promise.all(Array.from({ length: 6 }, () => dueRuns(110)));

  const taken = await takenByApplication();
  expect(Object.values(taken).reduce((sum, n) => sum + n, 0)).toBe(500);
  expect(Math.max(...Object.values(taken))).toBeLessThanOrEqual(100);
  expect(Object.keys(taken).toSorted()).toEqual(many.toSorted());
});
