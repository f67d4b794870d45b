import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createQuestions, QUESTIONS_DEFAULTS } from '@tidings/segments/questions';
import { connectTestDatabase, eventually } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const db = connectTestDatabase({ poolMax: 4 });
const watcher = connectTestDatabase({ poolMax: 2 });
const api = await startTestApi(
  { questions: createQuestions(db, { ...QUESTIONS_DEFAULTS, timeoutMs: 500 }) },
  db,
);
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await watcher.close();
});

beforeAll(async () => {
  await watcher.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin) values ($1, 'viewd', 'action', 'viewed', 'auto')`,
    [api.tenant.applicationId],
  );
});

const step = { event: 'viewd' };
const body = { steps: [step, step], window: '1h', from: 1_000, to: 2_000 };
const ask = () => api.request('POST', 'funnels/result', { headers: api.asServer, body });

test('a question that takes too long is asked again later, and its statement is gone', async () => {
  await watcher.transaction(async (sql) => {
    await sql.query('lock table users in access exclusive mode');

    const { status, headers, problem } = await ask();

    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(problem.detail).toContain('a shorter range');
    await eventually(async () => {
      const { rows } = await watcher.sql.query(
        `select query from pg_stat_activity
         where datname = current_database() and query like 'copy%' and state = 'active'`,
      );
      expect(rows).toEqual([]);
    });
  });

  expect((await ask()).status).toBe(200);
});
