/** @slow */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createQuestions, QUESTIONS_DEFAULTS, type Questions } from '@tidings/segments/questions';
import { connectTestDatabase, eventually } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const db = connectTestDatabase({ poolMax: 4 });
const real = createQuestions(db, { ...QUESTIONS_DEFAULTS, timeoutMs: 1_000 });
/** A part of a statement that no other test has. */
const SLOW = 'pg_sleep(603.25)';
let isSlow = true;
const slowly = createQuestions(db);
const questions: Questions = {
  ...real,
  askUsers: (applicationId, work) =>
    real.askUsers(applicationId, async (sql, now) => {
      if (isSlow) await sql.query(`select ${SLOW}`);
      return work(sql, now);
    }),
  askDrawn: (applicationId, work) =>
    real.askDrawn(applicationId, async (sql, drawn, now) => {
      if (isSlow) await sql.query(`select ${SLOW}`);
      return work(sql, drawn, now);
    }),
  ask: (applicationId, work) =>
    real.ask(applicationId, async (sql, now) => {
      if (isSlow) await sql.query(`select ${SLOW}`);
      return work(sql, now);
    }),
};
const api = await startTestApi({ questions }, db);
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

beforeAll(async () => {
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin)
     values ($1, 'viewd', 'action', 'viewed', 'auto')`,
    [api.tenant.applicationId],
  );
});

const step = { event: 'viewd' };
const body = { steps: [step, step], window: '1h', from: 1_000, to: 2_000 };

test.each(['result', 'users'])(
  'POST funnels/%s that takes too long is asked again later, and its statement is gone',
  async (path) => {
    isSlow = true;
    const ask = () => api.request('POST', `funnels/${path}`, { headers: api.asServer, body });

    const { status, headers, problem } = await ask();

    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(problem.detail).toContain('a shorter range');
    await expectNoStatement();
    isSlow = false;
    expect((await ask()).status).toBe(200);
  },
);

/** Of one statement about few users. */
const USERS_MS = 5_000;
test.each([
  ['preview', {}],
  ['explain', { customUserId: 'ada' }],
])(
  'POST funnels/%s that takes too long ends after some seconds',
  async (path, more) => {
    isSlow = true;
    const beganAt = performance.now();

    const { status } = await api.request('POST', `funnels/${path}`, {
      headers: api.asServer,
      body: { ...body, ...more },
    });

    isSlow = false;
    expect(status).toBe(503);
    expect(performance.now() - beganAt).toBeGreaterThan(USERS_MS - 500);
    await expectNoStatement();
  },
  60_000,
);

test('a question that would take minutes ends at 15 s, and its statement is gone', async () => {
  const beganAt = performance.now();
  const answer = slowly.ask(api.tenant.applicationId, (sql) => sql.query(`select ${SLOW}`));

  expect(await answer).toBe('timed_out');
  const ms = performance.now() - beganAt;
  expect(ms).toBeGreaterThan(14_000);
  // The rest is what a busy machine needs to answer.
  expect(ms).toBeLessThan(45_000);
  await expectNoStatement();
}, 60_000);

async function expectNoStatement(): Promise<void> {
  await eventually(async () => {
    const { rows } = await db.sql.query(
      `select query from pg_stat_activity where query = $1 and state = 'active'`,
      [`select ${SLOW}`],
    );
    expect(rows).toEqual([]);
  });
}
