import { afterAll, expect, test } from '@jest/globals';
import { createOwnDatabase } from '@tidings/testing';
import { readStatementFiles } from '../architecture/statement-files.ts';

const statements = readStatementFiles();
const byPath = new Map(statements.map((statement) => [statement.path, statement]));
const db = await createOwnDatabase({ poolMax: 1, isKeyed: true });
const shown: string[] = [];

afterAll(async () => {
  await db.close();
  // Set by `npm run statements`.
  if (process.env['SHOW_STATEMENTS']) process.stderr.write(`\n${shown.join('\n\n')}\n`);
});

test.each([...byPath.keys()])('%s is prepared, and has a plan', async (path) => {
  const { text = '', sql = '' } = byPath.get(path) ?? {};

  await db.sql.query(`prepare checked as ${sql}`);
  await db.sql.query('deallocate checked');
  const { rows } = await db.sql.query<{ 'QUERY PLAN': string }>(
    `explain (generic_plan, costs off) ${sql}`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']);

  expect(plan.length).toBeGreaterThan(0);
  shown.push(`== ${path}\n${text}-- the plan\n${plan.map((line) => `--   ${line}`).join('\n')}`);
});
