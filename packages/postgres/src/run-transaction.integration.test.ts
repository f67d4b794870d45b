import { afterAll, describe, expect, test } from '@jest/globals';
import { connectTestDatabase, createRelay, eventually, testDatabaseUrl } from '@tidings/testing';
import { connectDatabase, isCanceled, type Sql } from './database.ts';

const db = connectDatabase({
  databaseUrl: testDatabaseUrl(),
  poolMax: 2,
  applicationName: 'test-transactions',
  answerGraceMs: 100,
});
const watcher = connectTestDatabase({ poolMax: 2 });
afterAll(() => Promise.all([db.close(), watcher.close()]));

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

async function readPid(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

/** What a session runs now. */
async function runningIn(pid: number): Promise<string[]> {
  const { rows } = await watcher.sql.query<{ query: string }>(
    `select query from pg_stat_activity where pid = $1 and state = 'active'`,
    [pid],
  );
  return rows.map(({ query }) => query);
}

describe('a transaction with a time of its own', () => {
  test('may take longer than the pool allows, in Postgres and in the client', async () => {
    const brief = connectDatabase({
      databaseUrl: testDatabaseUrl(),
      poolMax: 2,
      applicationName: 'test',
      statementTimeoutMs: 100,
      answerGraceMs: 100,
    });

    await brief.transaction((sql) => sql.query('select pg_sleep(0.5)'), {
      statementTimeoutMs: 600_000,
    });

    await expect(brief.sql.query('select pg_sleep(600)')).rejects.toThrow();
    await brief.close();
  });

  test('may take less', async () => {
    const slow = db.transaction((sql) => sql.query('select pg_sleep(600)'), {
      statementTimeoutMs: 1,
    });

    expect(isCanceled(await failureOf(slow))).toBe(true);
  });

  test('is ended by Postgres once it does nothing for longer, and its locks with it', async () => {
    let pid = 0;
    const idle = db.transaction(
      async (sql) => {
        pid = await readPid(sql);
        await eventually(
          async () => {
            const { rows } = await watcher.sql.query(
              'select from pg_stat_activity where pid = $1',
              [pid],
            );
            expect(rows).toEqual([]);
          },
          { timeoutMs: 10_000 },
        );
        await sql.query('select 1');
      },
      { idleTimeoutMs: 100 },
    );

    await expect(idle).rejects.toThrow();
    expect(pid).toBeGreaterThan(0);
  });

  test('leaves nothing of it on the connection', async () => {
    const settings = `select current_setting('statement_timeout') as timeout,
      current_setting('client_connection_check_interval') as checks`;
    const own = connectDatabase({
      databaseUrl: testDatabaseUrl(),
      poolMax: 1,
      applicationName: 'test',
      statementTimeoutMs: 7_000,
    });

    const within = await own.transaction((sql) => sql.query(settings), {
      statementTimeoutMs: 9_000,
    });
    const after = await own.sql.query(settings);
    await own.close();

    expect(within.rows).toEqual([{ timeout: '9s', checks: '2s' }]);
    expect(after.rows).toEqual([{ timeout: '7s', checks: '0' }]);
  });
});

test('a statement that the client no longer waits for is canceled in Postgres, and its connection used again', async () => {
  let pid = 0;
  // As if Postgres did not notice that the time is over.
  const endless = db.transaction(
    async (sql) => {
      pid = await readPid(sql);
      await sql.query('set local statement_timeout = 0');
      await sql.query('select pg_sleep(600)');
    },
    { statementTimeoutMs: 1_000 },
  );

  expect(await failureOf(endless)).toMatchObject({ message: 'Query read timeout' });

  expect(await runningIn(pid)).toEqual([]);
  const { rows } = await watcher.sql.query('select from pg_stat_activity where pid = $1', [pid]);
  expect(rows).toHaveLength(1);
});

describe('the signal of a transaction', () => {
  test('cancels the statement that runs', async () => {
    const ending = new AbortController();
    let pid = 0;
    const endless = db.transaction(
      async (sql) => {
        pid = await readPid(sql);
        await sql.query('select pg_sleep(600)');
      },
      { statementTimeoutMs: 600_000, signal: ending.signal },
    );
    await eventually(async () => expect(await runningIn(pid)).toHaveLength(1));

    ending.abort();

    expect(isCanceled(await failureOf(endless))).toBe(true);
    expect(await runningIn(pid)).toEqual([]);
  });

  test('that aborts between two statements lets none begin', async () => {
    const ending = new AbortController();
    const reason = new Error('the process ends');
    let pid = 0;

    const failure = await failureOf(
      db.transaction(
        async (sql) => {
          pid = await readPid(sql);
          ending.abort(reason);
          await sql.query('select pg_sleep(600)');
        },
        { statementTimeoutMs: 600_000, signal: ending.signal },
      ),
    );

    expect(failure).toBe(reason);
    expect(await runningIn(pid)).toEqual([]);
  });

  test('reaches no later user of the connection', async () => {
    for (let round = 0; round < 20; round += 1) {
      const ending = new AbortController();
      await db.transaction(
        async (sql) => {
          await sql.query('select 1');
          ending.abort();
        },
        { signal: ending.signal },
      );
      await Promise.all([db.sql.query('select 1'), db.sql.query('select 1')]);
    }
  });

  test('that has aborted before takes no connection', async () => {
    const begun = db.transaction(async () => 'begun', { signal: AbortSignal.abort() });

    await expect(begun).rejects.toThrow('aborted');
  });
});

test('a long statement of a process that is gone ends in Postgres', async () => {
  const relay = await createRelay(testDatabaseUrl());
  const gone = connectDatabase({ databaseUrl: relay.url, poolMax: 2, applicationName: 'test' });
  let pid = 0;
  const endless = failureOf(
    gone.transaction(
      async (sql) => {
        pid = await readPid(sql);
        await sql.query('select pg_sleep(600)');
      },
      { statementTimeoutMs: 600_000 },
    ),
  );
  await eventually(async () => expect(await runningIn(pid)).toHaveLength(1));

  await relay.close();
  await endless;

  await eventually(async () => expect(await runningIn(pid)).toEqual([]), { timeoutMs: 60_000 });
  await gone.close();
});
