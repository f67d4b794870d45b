import { afterAll, beforeEach, expect, jest, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { createOwnDatabase, createRecordingLogger } from '@tidings/testing';
import { runOnce } from '../testing/run-once.ts';
import { splitWinners } from './split-winners.ts';

// A separate database: the job compares splits of all applications.
jest.setTimeout(120_000);
const db = await createOwnDatabase();
afterAll(() => db.close());

beforeEach(() => db.sql.query('delete from automations'));

const RUNS_OF_BRANCH = 20;
const DEFINITION = {
  version: 1,
  name: 'Cart',
  purpose: 'transactional',
  trigger: { event: 'cartd' },
  exit: [{ event: 'order', as: 'goal' }],
  nodes: [
    {
      id: 'ab',
      split: [
        { weight: 1, nodes: [] },
        { weight: 1, nodes: [] },
      ],
      winner: { by: 'goal', after: '15m', minimum: 10 },
    },
  ],
};
/** No program can be made of it. */
const BROKEN = { nodes: [{ id: 'ab', split: null, winner: {} }] };

/** An active automation, all runs of whose second branch have reached the goal. */
async function automation(definition: object = DEFINITION): Promise<string> {
  const [id, applicationId] = [systemIds.uuid(), systemIds.uuid()];
  await db.sql.query(
    `insert into automations (
       id, application_id, slug, name, status, draft, draft_version, live_version, updated_by
     ) values ($1, $2, 'cart', 'Cart', 'active', $3, 1, 1, 'test')`,
    [id, applicationId, definition],
  );
  await db.sql.query(
    `insert into automation_versions (
       automation_id, version, application_id, definition, created_by, created_at
     ) values ($1, 1, $2, $3, 'test', now() - interval '1 hour')`,
    [id, applicationId, definition],
  );
  await db.sql.query(
    `with runs as (
       insert into automation_runs (
         application_id, automation_id, version, user_id, shard, trigger_time, entered_at,
         status, ended_at, goal_at
       )
       select $2, $1, 1, gen_random_uuid(), 0, 0, now() - interval '30 minutes', 'completed', now(),
         case when n % 2 = 1 then now() end
       from generate_series(0, 2 * $3::int - 1) as n
       returning id, goal_at is not null as is_second
     ), lines as (
       insert into automation_trace (run_id, line, application_id, node, outcome, reason)
       select id, 0, $2, 'ab', 'passed', is_second::int::text from runs
     )
     insert into automation_counters (
       automation_id, version, node, outcome, reason, day, shard, application_id, n
     )
     select $1, 1, 'ab', 'passed', branch::text, current_date, 0, $2, $3
     from generate_series(0, 1) as branch`,
    [id, applicationId, RUNS_OF_BRANCH],
  );
  return id;
}

async function decidedBranches(): Promise<Record<string, number | null>> {
  const { rows } = await db.sql.query<{ id: string; choice: number | null }>(
    `select a.id, d.choice from automations a join decisions d on d.application_id = a.application_id`,
  );
  return Object.fromEntries(rows.map(({ id, choice }) => [id, choice]));
}

test('automations that cannot be compared keep no other from it, and are tried again', async () => {
  const ids: string[] = [];
  // More than a step looks at, with faults at its end, its beginning and in between.
  for (let no = 0; no < 23; no += 1)
    ids.push(await automation([0, 7, 19, 20, 22].includes(no) ? BROKEN : DEFINITION));
  const { logger, lines } = createRecordingLogger();

  await runOnce(splitWinners(), { db, logger });

  const failed = lines.filter(({ level }) => level === 'error');
  expect(failed.map((line) => line['automationId']).toSorted()).toEqual(
    [0, 7, 19, 20, 22].map((no) => ids[no]).toSorted(),
  );
  expect(Object.values(await decidedBranches())).toEqual(Array.from({ length: 18 }, () => 1));

  lines.length = 0;
  await runOnce(splitWinners(), { db, logger });
  // What is decided is not compared again.
  expect(lines.map(({ level }) => level)).toEqual(Array.from({ length: 5 }, () => 'error'));
  expect(Object.values(await decidedBranches())).toHaveLength(18);
});

test('a process that stops begins no other step', async () => {
  for (let no = 0; no < 25; no += 1) await automation();
  const { logger } = createRecordingLogger();
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new Error('the process stops'));

  await expect(
    runOnce(splitWinners(), {
      db,
      logger: { ...logger, info: stop },
      signal: stopping.signal,
    }),
  ).rejects.toThrow('the process stops');

  expect(Object.values(await decidedBranches())).toHaveLength(20);
  await runOnce(splitWinners(), { db, logger });
  expect(Object.values(await decidedBranches())).toHaveLength(25);
});
