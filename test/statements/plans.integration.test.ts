import { afterAll, expect, test } from '@jest/globals';
import { createOwnDatabase } from '@tidings/testing';
import { readStatements } from '../architecture/statement-files.ts';

const statements = new Map(readStatements().map((one) => [one.name, one]));
const db = await createOwnDatabase({ poolMax: 1, isKeyed: true });
const shown: string[] = [];

afterAll(async () => {
  await db.close();
  // Set by `npm run statements`.
  if (process.env['SHOW_STATEMENTS']) process.stderr.write(`\n${shown.join('\n\n')}\n`);
});

/**
 * Each step of an engine runs these. A connection keeps the plan that it made when the tables were empty,
 * while they grow to millions of rows.
 */
const OF_STEPS = 'packages/automations/';
/** As many rows as automations, or partitions of months to come. */
const STAYS_SMALL =
  /Seq Scan on (automations|automation_versions|automation_date_builds|events_\d+)\b/;
const readsAll = (line: string): boolean =>
  /Seq Scan on|(Hash|Merge) (\w+ )?Join/.test(line) && !STAYS_SMALL.test(line);

test.each([...statements.keys()])('%s is prepared, and has a plan', async (name) => {
  const { path = '', whole = '', sql = '' } = statements.get(name) ?? {};

  await db.sql.query(`prepare checked as ${sql}`);
  await db.sql.query('deallocate checked');
  const { rows } = await db.sql.query<{ 'QUERY PLAN': string }>(
    `explain (generic_plan, costs off) ${sql}`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']);

  expect(plan.length).toBeGreaterThan(0);
  expect(path.startsWith(OF_STEPS) ? plan.filter(readsAll) : []).toEqual([]);
  shown.push(
    `== ${name}, ${path}\n${whole}-- the plan\n${plan.map((line) => `--   ${line}`).join('\n')}`,
  );
});
