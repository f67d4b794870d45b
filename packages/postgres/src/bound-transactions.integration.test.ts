import { afterAll, expect, test } from '@jest/globals';
import { connectTestDatabase, createFakeClock } from '@tidings/testing';
import { boundTransactions } from './bound-transactions.ts';
import { isCanceled } from './database.ts';

const db = connectTestDatabase({ poolMax: 1 });
afterAll(() => db.close());

const BOUNDS = { totalMs: 10_000, statementMs: 5_000 };
const timeoutNow = async (sql: typeof db.sql): Promise<string | undefined> =>
  (await sql.query<{ statement_timeout: string }>('show statement_timeout')).rows[0]
    ?.statement_timeout;

test('each statement of a transaction may take what is left of its time', async () => {
  const clock = createFakeClock();
  const bounded = boundTransactions(db, BOUNDS, clock);

  const timeouts = await bounded.transaction(async (sql) => {
    const first = await timeoutNow(sql);
    clock.advance(6_000);
    await sql.query('set local statement_timeout = 60000');
    return [first, await timeoutNow(sql)];
  });

  expect(timeouts).toEqual(['5s', '4s']);
});

test('when the time of a transaction is over, Postgres cancels its next statement', async () => {
  const clock = createFakeClock();
  const bounded = boundTransactions(db, BOUNDS, clock);

  const error: unknown = await bounded
    .transaction(async (sql) => {
      clock.advance(20_000);
      await sql.query('select pg_sleep(60)');
    })
    .catch((thrown: unknown) => thrown);

  expect(isCanceled(error)).toBe(true);
});

test('the connection keeps its own bound', async () => {
  const before = await timeoutNow(db.sql);
  await boundTransactions(db, BOUNDS, createFakeClock()).transaction((sql) => timeoutNow(sql));

  expect(await timeoutNow(db.sql)).toBe(before);
});
