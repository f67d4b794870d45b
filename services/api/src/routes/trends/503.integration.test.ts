import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createQuestions, QUESTIONS_DEFAULTS, type Questions } from '@tidings/segments/questions';
import { connectTestDatabase, eventually } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const db = connectTestDatabase({ poolMax: 4 });
const real = createQuestions(db, { ...QUESTIONS_DEFAULTS, timeoutMs: 1_000 });
/** A part of a statement that no other test has. */
const SLOW = 'pg_sleep(604.25)';
let isSlow = true;
const questions: Questions = {
  ...real,
  ask: (applicationId, work) =>
    (isSlow ? real : createQuestions(db)).ask(applicationId, async (sql, now) => {
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

const range = { from: 0, to: 2_000, timeZone: 'UTC' };
const trend = { ...range, series: [{ event: 'viewd', measure: 'users' }], step: 'day' };
const retention = { ...range, start: { event: 'viewd' }, period: 'day', periods: 2, cohort: 0 };
const { cohort: _cohort, ...retentionAlone } = retention;

test.each([
  ['trends/result', trend],
  ['trends/users', trend],
  ['retention/result', retentionAlone],
  ['retention/users', retention],
])(
  'POST %s that takes too long is asked again later, and its statement is gone',
  async (path, body) => {
    isSlow = true;
    const ask = () => api.request('POST', path, { headers: api.asServer, body });

    const { status, headers, problem } = await ask();

    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(problem.detail).toContain('a shorter range');
    await eventually(async () => {
      const { rows } = await db.sql.query(
        `select query from pg_stat_activity where query = $1 and state = 'active'`,
        [`select ${SLOW}`],
      );
      expect(rows).toEqual([]);
    });
    isSlow = false;
    expect((await ask()).status).toBe(200);
  },
);
