import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createFakeClock, createRelay, eventually, testDatabaseUrl } from '@tidings/testing';
import { boundTransactions } from './bound-transactions.ts';
import { copyOut } from './copy-out.ts';
import { connectDatabase, isCanceled, type Sql } from './database.ts';

const db = connectDatabase({
  databaseUrl: testDatabaseUrl(),
  poolMax: 2,
  applicationName: 'test-copy',
  answerGraceMs: 100,
});
afterAll(() => db.close());

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

async function readNumbers(sql: Sql, query: string): Promise<number[]> {
  const numbers: number[] = [];
  await copyOut(sql, query, {
    fields: 1,
    onRow: ({ bytes, offsets }) => {
      numbers.push(bytes.readInt32BE(offsets[0]));
    },
  });
  return numbers;
}

describe('a COPY', () => {
  test('has all rows, and its connection goes on', async () => {
    await db.transaction(async (sql) => {
      const numbers = await readNumbers(sql, 'select n from generate_series(1, 200000) n');

      expect(numbers).toHaveLength(200_000);
      expect(numbers.every((each, index) => each === index + 1)).toBe(true);
      expect(await readNumbers(sql, 'select 7 where false')).toEqual([]);
      expect((await sql.query('select 5 as n')).rows).toEqual([{ n: 5 }]);
    });
  });

  test('gives all else a turn after each part of its rows', async () => {
    let rows = 0;
    let before = 0;
    const turns: number[] = [];
    let isDone = false;
    const watch = (): void => {
      turns.push(rows - before);
      before = rows;
      if (!isDone) setImmediate(watch);
    };
    setImmediate(watch);
    await db
      .transaction((sql) =>
        copyOut(sql, 'select n from generate_series(1, 300000) n', {
          fields: 1,
          onRow: () => {
            rows += 1;
            // As slow as one that is looked up: Postgres writes faster than they are read.
            for (let work = 0; work < 500; work += 1) Math.sqrt(work);
          },
        }),
      )
      .finally(() => {
        isDone = true;
      });

    expect(rows).toBe(300_000);
    expect(Math.max(...turns)).toBeLessThan(20_000);
  });

  test('has values by settings of the transaction', async () => {
    await db.transaction(async (sql) => {
      await sql.query(`select set_config('tidings.q', $1, true)`, [`'); drop table users; --`]);

      expect(await readNumbers(sql, `select length(current_setting('tidings.q'))::int`)).toEqual([
        24,
      ]);
    });
  });

  test('that fails says why, and a later transaction has the connection', async () => {
    await expect(
      db.transaction((sql) =>
        readNumbers(sql, 'select 1 / (n - 90000) from generate_series(1, 100000) n'),
      ),
    ).rejects.toMatchObject({ code: '22012' });
    await expect(
      db.transaction((sql) => readNumbers(sql, 'select from nowhere')),
    ).rejects.toMatchObject({ code: '42P01' });

    expect(await db.transaction((sql) => readNumbers(sql, 'select 1'))).toEqual([1]);
  });

  test('ends with what its reader throws', async () => {
    const work = db.transaction((sql) =>
      copyOut(sql, 'select n from generate_series(1, 100000) n', {
        fields: 1,
        onRow: () => {
          throw new Error('enough');
        },
      }),
    );

    await expect(work).rejects.toThrow('enough');
    expect(await db.transaction((sql) => readNumbers(sql, 'select 1'))).toEqual([1]);
  });

  test('is canceled by the time of its transaction, and gone from Postgres', async () => {
    const slow = db.transaction((sql) => readNumbers(sql, 'select 1 from pg_sleep(600)'), {
      statementTimeoutMs: 50,
    });

    expect(isCanceled(await failureOf(slow))).toBe(true);
    await eventually(async () => {
      const { rows } = await db.sql.query(
        `select from pg_stat_activity where query like 'copy%pg_sleep%' and state = 'active'
           and pid <> pg_backend_pid()`,
      );
      expect(rows).toEqual([]);
    });
  });

  test('whose answer comes too late ends, and what comes later is not read', async () => {
    const late = db.transaction(
      async (sql) => {
        // Postgres does not end it, as if it stood still.
        await sql.query('set local statement_timeout = 0');
        await readNumbers(sql, 'select 1 from pg_sleep(1)');
      },
      { statementTimeoutMs: 50 },
    );

    expect(await failureOf(late)).toBeInstanceOf(Error);
    // An error of the stream beside the promise would end the process, and this test.
    await setTimeout(1_500);
    expect(await db.transaction((sql) => readNumbers(sql, 'select 1'))).toEqual([1]);
  });

  test('counts in the total time of a transaction', async () => {
    const clock = createFakeClock();
    const bounded = boundTransactions(db, { totalMs: 10_000, statementMs: 60_000 }, clock);

    const late = bounded.transaction(async (sql) => {
      expect(await readNumbers(sql, 'select 1')).toEqual([1]);
      clock.advance(10_000);
      await readNumbers(sql, 'select 1 from pg_sleep(600)');
    });

    expect(isCanceled(await failureOf(late))).toBe(true);
  });

  test('ends when Postgres is gone', async () => {
    const relay = await createRelay(testDatabaseUrl());
    const away = connectDatabase({
      databaseUrl: relay.url,
      poolMax: 1,
      applicationName: 'test-copy',
    });
    const begun: number[] = [];

    const work = away.transaction((sql) =>
      copyOut(sql, 'select n from generate_series(1, 10) n, pg_sleep(n)', {
        fields: 1,
        onRow: () => begun.push(0),
      }),
    );
    const failure = failureOf(work);
    await eventually(async () => {
      const { rows } = await db.sql.query(
        `select from pg_stat_activity where query like 'copy%generate_series(1, 10)%' and state = 'active'
           and pid <> pg_backend_pid()`,
      );
      expect(rows).toHaveLength(1);
    });
    relay.set('refuse');

    expect(await failure).toBeInstanceOf(Error);
    await away.close();
    await relay.close();
  });
});
