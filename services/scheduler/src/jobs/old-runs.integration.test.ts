import { afterAll, expect, jest, test } from '@jest/globals';
import { deleteOldRuns, deleteOldTriggers } from '@tidings/automations/retention';
import { systemIds } from '@tidings/platform';
import { createOwnDatabase, createTestApplication } from '@tidings/testing';
import { runOnce } from '../testing/run-once.ts';
import { oldRuns } from './old-runs.ts';

// A separate database: the job reads runs of all applications.
jest.setTimeout(120_000);
const db = await createOwnDatabase();
afterAll(() => db.close());

const DAYS = 90;

/** Runs of one automation with two lines each, and what was decided about their events. */
async function createRuns(endedDaysAgo: number | null, count = 1): Promise<readonly string[]> {
  const { applicationId } = await createTestApplication(db);
  const automationId = systemIds.uuid();
  const { rows } = await db.sql.query<{ id: string }>(
    `with run as (
       insert into automation_runs (application_id, automation_id, version, user_id, shard,
         trigger_time, status, ended_at, lines)
       select $1, $2, 1, uuidv7(), 0, 0, case when $3::int is null then 'active' else 'completed' end,
         now() - $3::int * interval '1 day', 2
       from generate_series(1, $4)
       returning id, user_id
     ),
     trace as (
       insert into automation_trace (run_id, line, application_id, node, outcome)
       select id, line, $1, '', 'entered' from run, generate_series(0, 1) as line
     ),
     entry as (
       insert into automation_entries (automation_id, user_id, application_id, last_entered_at, entries)
       select $2, user_id, $1, now(), 1 from run
     ),
     trigger as (
       insert into automation_triggers (automation_id, request_id, message_index, application_id,
         user_id, at, result, run_id)
       select $2, uuidv7(), 0, $1, user_id, now() - coalesce($3::int, 0) * interval '1 day',
         'entered', id
       from run
     )
     select id from run`,
    [applicationId, automationId, endedDaysAgo, count],
  );
  return rows.map(({ id }) => id);
}

/** How much of runs is left. */
async function leftOf(runs: readonly string[]) {
  const { rows } = await db.sql.query(
    `select (select count(*)::int from automation_runs where id = any($1)) as runs,
       (select count(*)::int from automation_trace where run_id = any($1)) as lines,
       (select count(*)::int from automation_triggers where run_id = any($1)) as triggers`,
    [runs],
  );
  return rows[0];
}

const addTimer = (runId: string | undefined) =>
  db.sql.query(
    `insert into automation_timers (run_id, shard, application_id, automation_id, due_at)
     select id, shard, application_id, automation_id, now() + interval '1 day'
     from automation_runs where id = $1`,
    [runId],
  );

test('a pass deletes runs past the retention with all that is theirs, in steps, but no entry', async () => {
  const old = await createRuns(DAYS + 1, 1_200);
  const young = await createRuns(DAYS - 1);
  const active = await createRuns(null);

  await runOnce(oldRuns({ deliveryRetentionDays: DAYS }), { db });

  expect(await leftOf(old)).toEqual({ runs: 0, lines: 0, triggers: 0 });
  expect(await leftOf(young)).toEqual({ runs: 1, lines: 2, triggers: 1 });
  expect(await leftOf(active)).toEqual({ runs: 1, lines: 2, triggers: 1 });
  const { rows } = await db.sql.query('select count(*)::int as n from automation_entries');
  expect(rows).toEqual([{ n: 1_202 }]);
});

test('a run whose goal still counts stays until it does not', async () => {
  const [run = ''] = await createRuns(DAYS + 1);
  await addTimer(run);

  const during = await deleteOldRuns(db.sql, { days: DAYS, limit: 10 });
  await db.sql.query('delete from automation_timers where run_id = $1', [run]);
  const after = await deleteOldRuns(db.sql, { days: DAYS, limit: 10 });

  expect([during, after]).toEqual([0, 1]);
});

test('a step takes as many as it may, and the last one finds none', async () => {
  await runOnce(oldRuns({ deliveryRetentionDays: DAYS }), { db });
  await createRuns(DAYS + 1, 3);
  const step = () => deleteOldRuns(db.sql, { days: DAYS, limit: 2 });
  const stepOfTriggers = () => deleteOldTriggers(db.sql, { days: DAYS, limit: 2 });

  expect([await step(), await step(), await step()]).toEqual([2, 1, 0]);
  expect([await stepOfTriggers(), await stepOfTriggers(), await stepOfTriggers()]).toEqual([
    2, 1, 0,
  ]);
});

test('two at once divide the rows between them, and do not wait for each other', async () => {
  await createRuns(DAYS + 1, 4);
  const take = { days: DAYS, limit: 3 };

  const taken = await db.transaction(async (first) => {
    const mine = [await deleteOldRuns(first, take), await deleteOldTriggers(first, take)];
    const theirs = [await deleteOldRuns(db.sql, take), await deleteOldTriggers(db.sql, take)];
    return { mine, theirs };
  });

  expect(taken).toEqual({ mine: [3, 3], theirs: [1, 1] });
});

test('a run that someone tries again meanwhile stays', async () => {
  const [run = ''] = await createRuns(DAYS + 1);

  const deleted = await db.transaction(async (sql) => {
    await sql.query(`update automation_runs set status = 'active', ended_at = null where id = $1`, [
      run,
    ]);
    return deleteOldRuns(db.sql, { days: DAYS, limit: 10 });
  });

  expect(deleted).toBe(0);
  expect(await deleteOldRuns(db.sql, { days: DAYS, limit: 10 })).toBe(0);
});
