import { afterAll, expect, test } from '@jest/globals';
import type { Sql } from '@tidings/postgres/database';
import { connectTestDatabase } from '@tidings/testing';
import { createQuestionQueue, QUESTION_DEFAULTS, isUnanswered } from './question-queue.ts';
import { askUsers } from './ask-users.ts';

const db = connectTestDatabase({ poolMax: 2 });
afterAll(() => db.close());

async function readSettings(sql: Sql): Promise<Record<string, string>> {
  const { rows } = await sql.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name in ('application_name', 'statement_timeout',
       'max_parallel_workers_per_gather', 'enable_nestloop', 'work_mem', 'transaction_read_only')`,
  );
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

test('a question has its own name, time limit and plans, and its connection keeps none of them', async () => {
  const settings = await createQuestionQueue(db).ask('an application', readSettings);

  expect(settings).toEqual({
    application_name: 'tidings-segments',
    statement_timeout: expect.stringMatching(/^1[45]\d{3}$/),
    max_parallel_workers_per_gather: '0',
    enable_nestloop: 'off',
    work_mem: String(384 * 1024),
    transaction_read_only: 'on',
  });
  expect(await readSettings(db.sql)).toMatchObject({
    application_name: 'test',
    enable_nestloop: 'on',
    transaction_read_only: 'off',
  });
});

test('a question that takes too long is cut off', async () => {
  const questions = createQuestionQueue(db, { ...QUESTION_DEFAULTS, timeoutMs: 200 });

  expect(await questions.ask('an application', (sql) => sql.query('select pg_sleep(60)'))).toBe(
    'timed_out',
  );
  expect(await questions.ask('an application', () => Promise.resolve('next'))).toBe('next');
});

test('a question of many statements has one time for all of them, and sees one moment', async () => {
  const questions = createQuestionQueue(db, { ...QUESTION_DEFAULTS, timeoutMs: 1_000 });
  let asked = 0;

  const answer = await questions.ask('an application', async (sql) => {
    const { rows } = await sql.query('show transaction_isolation');
    expect(rows).toEqual([{ transaction_isolation: 'repeatable read' }]);
    for (; asked < 60; asked += 1) await sql.query('select pg_sleep(0.2)');
  });

  expect(answer).toBe('timed_out');
  expect(asked).toBeLessThan(6);
});

test('a question that fails gives its place back', async () => {
  const questions = createQuestionQueue(db);

  await expect(questions.ask('an application', (sql) => sql.query('select 1 / 0'))).rejects.toThrow(
    /zero/,
  );
  expect(await questions.ask('an application', () => Promise.resolve('next'))).toBe('next');
});

test('questions run one after the other, applications take turns, and one has five places', async () => {
  const questions = createQuestionQueue(db);
  const begun: string[] = [];
  let running = 0;
  const ask = (applicationId: string, name: string) =>
    questions.ask(applicationId, async (sql) => {
      running += 1;
      begun.push(name);
      expect(running).toBe(1);
      await sql.query('select 1');
      running -= 1;
      return name;
    });

  const own = Array.from({ length: 8 }, (_, index) => ask('one', `one ${index}`));
  const other = ask('two', 'two');
  const answers = await Promise.all([...own, other]);

  expect(answers.filter(isUnanswered)).toEqual(['busy', 'busy']);
  expect(begun).toEqual(['one 0', 'two', 'one 1', 'one 2', 'one 3', 'one 4', 'one 5']);
});

test('a question that has waited too long is not asked', async () => {
  const questions = createQuestionQueue(db, { ...QUESTION_DEFAULTS, waitMs: 20 });
  const asked: string[] = [];
  const ask = (name: string, seconds: number) =>
    questions.ask('an application', async (sql) => {
      asked.push(name);
      await sql.query('select pg_sleep($1)', [seconds]);
      return name;
    });

  expect(await Promise.all([ask('long', 0.2), ask('late', 0)])).toEqual(['long', 'busy']);
  expect(await ask('next', 0)).toBe('next');
  expect(asked).toEqual(['long', 'next']);
});

test('all applications together take twenty places', async () => {
  const questions = createQuestionQueue(db);

  const answers = await Promise.all(
    Array.from({ length: 25 }, (_, index) =>
      questions.ask(`application ${index}`, () => Promise.resolve('answered')),
    ),
  );

  expect(answers.filter((answer) => answer === 'busy')).toHaveLength(4);
});

test('a question about few users only reads, and is cut off', async () => {
  const settings = await askUsers(db, readSettings);

  expect(settings).toMatchObject({ statement_timeout: '5000', transaction_read_only: 'on' });
});
