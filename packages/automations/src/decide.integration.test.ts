import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { statementsIn } from '@tidings/postgres/statements';
import { createOwnDatabase } from '@tidings/testing';

/** Never analyzed, as after a first start. */
const db = await createOwnDatabase({ poolMax: 1 });
afterAll(() => db.close());

const statement = statementsIn(import.meta.dirname);
const automationId = systemIds.uuid();

beforeAll(async () => {
  for (const table of ['automation_triggers', 'automation_entries', 'automation_runs'])
    await db.sql.query(`alter table ${table} set (autovacuum_enabled = false)`);
  await db.sql.query(
    `insert into automation_triggers (automation_id, request_id, message_index, application_id, user_id, result)
     select $1, gen_random_uuid(), 0, $1, gen_random_uuid(), 'entered' from generate_series(1, 20000)`,
    [automationId],
  );
  await db.sql.query(
    `insert into automation_entries (automation_id, user_id, application_id, last_entered_at, entries)
     select $1, user_id, $1, now(), 1 from automation_triggers`,
    [automationId],
  );
  await db.sql.query(
    `insert into automation_runs (application_id, automation_id, version, user_id, shard, trigger_time)
     select $1, $1, 1, user_id, 0, 0 from automation_triggers`,
    [automationId],
  );
}, 60_000);

test.each([
  ['read-decided', 'uuid, uuid[], int[]'],
  ['read-earlier-entries', 'uuid, uuid[]'],
])(
  'before the first statistics, %s looks into an index for each of the people',
  async (name, types) => {
    const columns = types.split(', ').length - 1;
    const plan = await db.transaction(async (sql) => {
      // As an engine has it, after its first executions.
      await sql.query('set local plan_cache_mode = force_generic_plan');
      await sql.query(`prepare asked (${types}) as ${statement(name)}`);
      const values = Array.from({ length: columns }, () => 'null').join(', ');
      const { rows } = await sql.query<{ 'QUERY PLAN': string }>(
        `explain (costs off) execute asked ('${automationId}', ${values})`,
      );
      await sql.query('deallocate asked');
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });

    expect(plan).toMatch(/Index (Only )?Scan/);
    expect(plan).not.toMatch(/Seq Scan|Hash Join|Merge Join|by_automation/);
  },
);
