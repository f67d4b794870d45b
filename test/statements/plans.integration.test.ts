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

test.each([...statements.keys()])('%s is prepared, and has a plan', async (name) => {
  const { path = '', whole = '', sql = '' } = statements.get(name) ?? {};

  await db.sql.query(`prepare checked as ${sql}`);
  await db.sql.query('deallocate checked');
  const { rows } = await db.sql.query<{ 'QUERY PLAN': string }>(
    `explain (generic_plan, costs off) ${sql}`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']);

  expect(plan.length).toBeGreaterThan(0);
  shown.push(
    `== ${name}, ${path}\n${whole}-- the plan\n${plan.map((line) => `--   ${line}`).join('\n')}`,
  );
});
