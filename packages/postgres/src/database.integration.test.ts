import { afterAll, describe, expect, test } from '@jest/globals';
import { connectTestDatabase, createTestApplication, testDatabaseUrl } from '@tidings/testing';
import {
  connectDatabase,
  dataErrorState,
  isDatabaseUnavailable,
  type Database,
} from './database.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('a transaction', () => {
  test('is rolled back when its work throws, and throws the same', async () => {
    const { applicationId, name } = await createTestApplication(db);
    const fault = new Error('fault');

    const thrown = await failureOf(
      db.transaction(async (sql) => {
        await sql.query("update applications set name = 'changed' where id = $1", [applicationId]);
        throw fault;
      }),
    );

    expect(thrown).toBe(fault);
    expect(
      await (await db.prisma()).application.findUnique({ where: { id: applicationId } }),
    ).toMatchObject({ name });
  });

  test('whose connection breaks fails as a fault of the database, and the next one gets another connection', async () => {
    const single = connectDatabase({
      databaseUrl: testDatabaseUrl(),
      poolMax: 1,
      applicationName: 'test',
    });
    try {
      const error = await failureOf(
        single.transaction((sql) => sql.query('select pg_terminate_backend(pg_backend_pid())')),
      );

      expect(error).toBeInstanceOf(Error);
      expect(dataErrorState(error)).toBeUndefined();
      expect(
        await single.transaction(
          async (sql) => (await sql.query<{ one: number }>('select 1 as one')).rows,
        ),
      ).toEqual([{ one: 1 }]);
    } finally {
      await single.close();
    }
  });
});

describe('an error of a statement lies in the data', () => {
  test.each([
    ['U+0000 in text', 'select $1::text', ['a\0'], '22021'],
    ['U+0000 in JSON', 'select $1::jsonb', ['"\\u0000"'], '22P05'],
    ['broken JSON', 'select $1::jsonb', ['{'], '22P02'],
    ['a number out of range', 'select $1::bigint', ['9223372036854775808'], '22003'],
    [
      'a value that a check refuses',
      "insert into definitions (application_id, slug, kind, name, origin) values (gen_random_uuid(), 'x', $1, 'x', 'auto')",
      ['click'],
      '23514',
    ],
    [
      'a key too long for its index',
      "insert into definitions (application_id, slug, kind, name, origin) select gen_random_uuid(), 'x', 'action', string_agg(md5(n::text), ''), $1 from generate_series(1, 1000) n",
      ['auto'],
      '54000',
    ],
  ])('when it is %s', async (_, statement, values, state) => {
    expect(dataErrorState(await failureOf(db.sql.query(statement, values)))).toBe(state);
  });

  test.each([
    ['a deadlock', "do $$ begin raise exception using errcode = '40P01'; end $$"],
    ['a serialization failure', "do $$ begin raise exception using errcode = '40001'; end $$"],
    ['a shutdown', "do $$ begin raise exception using errcode = '57P01'; end $$"],
    ['a full disk', "do $$ begin raise exception using errcode = '53100'; end $$"],
    [
      'a statement that took too long',
      "do $$ begin raise exception using errcode = '57014'; end $$",
    ],
    ['a table that is not there yet', 'select 1 from no_such_table'],
  ])('never when it is %s', async (_, statement) => {
    const error = await failureOf(db.sql.query(statement));

    expect(error).toBeInstanceOf(Error);
    expect(dataErrorState(error)).toBeUndefined();
  });

  test('is never a data error without a database error', () => {
    expect(dataErrorState(Object.assign(new Error('connect'), { code: '22003' }))).toBeUndefined();
    expect(dataErrorState(new TypeError('x is not a function'))).toBeUndefined();
  });
});

describe('Postgres that rejects the login counts as unavailable', () => {
  const questions: readonly [string, (lockedOut: Database) => Promise<unknown>][] = [
    ['a statement', (lockedOut) => lockedOut.sql.query('select 1')],
    ['a transaction', (lockedOut) => lockedOut.transaction((sql) => sql.query('select 1'))],
    [
      'a question by Prisma',
      async (lockedOut) => (await lockedOut.prisma()).application.findFirst(),
    ],
  ];
  test.each([
    ['the password is another', (url: URL) => (url.password = 'of-yesterday')],
    ['the user is gone', (url: URL) => (url.username = 'who_was_dropped')],
  ])('since %s', async (_, change) => {
    const url = new URL(testDatabaseUrl());
    change(url);
    const lockedOut = connectDatabase({
      databaseUrl: url.href,
      poolMax: 1,
      applicationName: 'test',
    });

    try {
      for (const [kind, ask] of questions)
        expect([kind, isDatabaseUnavailable(await failureOf(ask(lockedOut)))]).toEqual([
          kind,
          true,
        ]);
    } finally {
      await lockedOut.close();
    }
  });

  test('unlike a table that it may not read, which is a fault of the installation', async () => {
    expect(
      isDatabaseUnavailable(
        await failureOf(
          db.sql.query("do $$ begin raise exception using errcode = '42501'; end $$"),
        ),
      ),
    ).toBe(false);
  });
});
