import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { statementsIn } from '@tidings/postgres/statements';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { createOwnDatabase } from '@tidings/testing';
import { systemIds } from '@tidings/platform';

const READ_EARLIER = definePrepared(statementsIn(import.meta.dirname)('read-earlier-entries'));
/** An index of them by person is a page higher than one of few columns. */
const RUNS = 30_000;
const db = await createOwnDatabase({ poolMax: 1, isKeyed: true });
afterAll(() => db.close());

beforeAll(async () => {
  // Statistics are those of each test.
  for (const table of ['automation_runs', 'automation_entries'])
    await db.sql.query(`alter table ${table} set (autovacuum_enabled = false)`);
});

/** People with a run in progress of an automation of their own. */
async function enter(): Promise<{ automationId: string; users: readonly string[] }> {
  const automationId = systemIds.uuid();
  const users = Array.from({ length: RUNS }, () => systemIds.uuid());
  await db.transaction(async (sql) => {
    await sql.query('set local session_replication_role = replica');
    await sql.query(
      `insert into automation_runs (id, automation_id, application_id, version, user_id, entry_key, shard, trigger_time)
       select uuidv7(), $1, $1, 1, u, '', 0, 0 from unnest($2::uuid[]) u`,
      [automationId, users],
    );
  });
  return { automationId, users };
}

test.each([
  ['before the first statistics', false],
  ['with statistics of a time when no run was in progress', true],
])('who entered before is read by the person, %s', async (_when, isAnalyzed) => {
  if (isAnalyzed) {
    await enter();
    await db.sql.query(`update automation_runs set status = 'completed', ended_at = now()`);
    await db.sql.query('analyze automation_runs');
  }
  const { automationId, users } = await enter();
  const asked = users.slice(0, 100);
  const read = await db.transaction(async (sql) => {
    const blocks = async (): Promise<number> => {
      const { rows } = await sql.query<{ n: number }>(
        `select sum(pg_stat_get_xact_blocks_fetched(c.oid))::int as n from pg_class c
         where c.relname like 'automation_runs%' or c.relname like 'automation_entries%'`,
      );
      return rows[0]?.n ?? 0;
    };
    const before = await blocks();
    const { rows } = await sql.query(READ_EARLIER, [asked.map(() => automationId), asked]);
    return { rows, blocks: (await blocks()) - before };
  });

  expect(read.rows).toHaveLength(100);
  expect(read.blocks).toBeLessThanOrEqual(100 * 8);
});
