import { afterAll, expect, test } from '@jest/globals';
import { readEnvironment } from '@tidings/platform';
import { createFakeClock } from '@tidings/platform/testing';
import { connectDatabase, type Sql } from './database.ts';
import { definePrepared, definePreparedByKeys } from './define-prepared.ts';

const clock = createFakeClock();
const connect = (isKeyed: boolean) =>
  connectDatabase({
    databaseUrl: String(readEnvironment()['DATABASE_URL']),
    poolMax: 1,
    applicationName: 'test',
    isKeyed,
    clock,
  });
const ordinary = connect(false);
const keyed = connect(true);
afterAll(() => Promise.all([ordinary.close(), keyed.close()]));

const ANYWHERE = definePrepared('select $1::int as anywhere');
const BY_KEYS = definePreparedByKeys('select $1::int as by_keys');
const WITHOUT_PARAMETERS = definePreparedByKeys('select 1 as without_parameters');

async function runAll(sql: Sql): Promise<void> {
  await sql.query(ANYWHERE, [1]);
  await sql.query(BY_KEYS, [1]);
  await sql.query(WITHOUT_PARAMETERS);
}

async function preparedOn(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ statement: string }>(
    'select statement from pg_prepared_statements order by prepare_time',
  );
  return rows.map(({ statement }) => statement);
}

async function plannerOf(sql: Sql): Promise<Record<string, string>> {
  const { rows } = await sql.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings
     where name in ('enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'plan_cache_mode')`,
  );
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

const BY_DEFAULT = {
  enable_seqscan: 'on',
  enable_hashjoin: 'on',
  enable_mergejoin: 'on',
  plan_cache_mode: 'auto',
};
const KEYED = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
};

test('a connection that plans by keys prepares all marked statements, also those without parameters', async () => {
  await runAll(keyed.sql);

  expect(await plannerOf(keyed.sql)).toEqual(KEYED);
  expect(await preparedOn(keyed.sql)).toEqual([ANYWHERE, BY_KEYS, WITHOUT_PARAMETERS]);
});

test('elsewhere a statement by keys is not prepared, except in a transaction that plans by keys', async () => {
  await runAll(ordinary.sql);
  await ordinary.transaction(runAll);
  expect(await preparedOn(ordinary.sql)).toEqual([ANYWHERE]);

  const within = await ordinary.transaction(
    async (sql) => {
      await runAll(sql);
      return plannerOf(sql);
    },
    { isKeyed: true },
  );

  expect(within).toEqual(KEYED);
  expect(await preparedOn(ordinary.sql)).toEqual([ANYWHERE, BY_KEYS, WITHOUT_PARAMETERS]);
});

test('only this transaction plans by keys, also if it fails, and the next user of its connection does not', async () => {
  const failed = ordinary.transaction(() => Promise.reject(new Error('it fails')), {
    isKeyed: true,
  });
  const next = plannerOf(ordinary.sql);
  const LATER = definePreparedByKeys('select $1::int as later');
  const later = ordinary.sql.query(LATER, [1]);

  await expect(failed).rejects.toThrow('it fails');
  expect(await next).toEqual(BY_DEFAULT);
  await later;
  expect(await preparedOn(ordinary.sql)).not.toContain(LATER);
});

test('a statement is planned once in 10 s, and then anew', async () => {
  const TIMED = definePrepared('select $1::int as timed');
  const preparedAt = async () => {
    expect((await keyed.sql.query(TIMED, [7])).rows).toEqual([{ timed: 7 }]);
    const { rows } = await keyed.sql.query<{ at: string; plans: number }>(
      `select prepare_time::text as at, generic_plans::int as plans from pg_prepared_statements
       where statement = '${TIMED}'`,
    );
    expect(rows).toHaveLength(1);
    return rows[0];
  };
  const first = await preparedAt();
  clock.advance(9_999);

  expect(await preparedAt()).toEqual({ at: first?.at, plans: 2 });
  clock.advance(1);
  const second = await preparedAt();

  expect(second?.plans).toBe(1);
  expect(second?.at).not.toEqual(first?.at);
});

test('a transaction goes on after a statement in it was planned anew, and so does a connection after an error', async () => {
  const FAILING = definePrepared('select 1 / $1::int as failing');
  await keyed.sql.query(FAILING, [1]);
  clock.advance(10_000);
  await expect(keyed.sql.query(FAILING, [0])).rejects.toThrow('division by zero');
  clock.advance(10_000);

  const results = await keyed.transaction(async (sql) => [
    (await sql.query(FAILING, [1])).rows,
    (await sql.query(FAILING, [1])).rows,
  ]);

  expect(results).toEqual([[{ failing: 1 }], [{ failing: 1 }]]);
});
