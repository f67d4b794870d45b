import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createQuestions, QUESTIONS_DEFAULTS } from '@tidings/segments/questions';
import { connectTestDatabase } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const db = connectTestDatabase({ poolMax: 4 });
const questions = createQuestions(db, { ...QUESTIONS_DEFAULTS, memoryMiB: 1 });
const api = await startTestApi({ questions }, db);
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { tenant, asServer: headers } = api;

beforeAll(async () => {
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin)
     values ($1, 'viewd', 'action', 'viewed', 'auto'), ($1, 'order', 'revenue', 'order', 'auto')`,
    [tenant.applicationId],
  );
});

const DAY = 86_400_000;
const start = { event: 'viewd' };
const asked = { start, from: 0, to: DAY, period: 'day', periods: 3, timeZone: 'UTC' };

const request = async (path: string, body: object): Promise<readonly string[]> => {
  const { status, problem } = await api.request('POST', path, { headers, body });
  expect(status).toBe(400);
  return (problem.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`).toSorted();
};

test.each([
  [
    'no body',
    {},
    ['/from required', '/period required', '/periods required', '/start required', '/to required'],
  ],
  ['a start as text', { ...asked, start: 'viewd' }, ['/start wrong_type']],
  ['a start without an event', { ...asked, start: {} }, ['/start/event required']],
  ['an unknown event', { ...asked, start: { event: 'nosuch' } }, ['/start/event invalid_value']],
  ['an unknown return', { ...asked, return: { event: 'nosuch' } }, ['/return/event invalid_value']],
  [
    'a comparison without an operator',
    { ...asked, return: { ...start, where: [{ attribute: 'a' }] } },
    ['/return/where/0 exactly_one_of'],
  ],
  [
    'attributes of revenue',
    { ...asked, start: { event: 'order', where: [{ attribute: 'a', gt: 1 }] } },
    ['/start/where invalid_value'],
  ],
  [
    'a measure',
    { ...asked, start: { ...start, measure: 'users' } },
    ['/start/measure invalid_value'],
  ],
  ['an hour as period', { ...asked, period: 'hour' }, ['/period invalid_value']],
  ['no periods', { ...asked, periods: 0 }, ['/periods out_of_range']],
  ['61 periods', { ...asked, periods: 61 }, ['/periods out_of_range']],
  ['half a period', { ...asked, periods: 1.5 }, ['/periods wrong_type']],
  ['an unknown zone', { ...asked, timeZone: 'Mars/Olympus' }, ['/timeZone invalid_value']],
  ['a range that ends where it begins', { ...asked, to: 0 }, ['/to out_of_range']],
  ['a range of over 400 days', { ...asked, to: 400 * DAY + 1 }, ['/to out_of_range']],
  ['a year of five digits', { ...asked, to: Date.UTC(10_000, 0) }, ['/to out_of_range']],
  ['an unknown segment', { ...asked, segment: 'nosuch' }, ['/segment invalid_value']],
  ['an unknown first', { ...asked, first: 'once' }, ['/first invalid_value']],
  ['unbounded as text', { ...asked, unbounded: 'yes' }, ['/unbounded wrong_type']],
  ['a breakdown', { ...asked, breakdown: { field: 'city' } }, ['/breakdown invalid_value']],
])('POST retention/result with %s', async (_what, body, faults) => {
  expect(await request('retention/result', body)).toEqual(faults);
});

test.each([
  ['no cohort', asked, ['/cohort required']],
  ['an instant within a cohort', { ...asked, cohort: 1 }, ['/cohort invalid_value']],
  ['a period after the cohorts', { ...asked, cohort: DAY }, ['/cohort invalid_value']],
  ['no such cell', { ...asked, cohort: 0, cell: 3 }, ['/cell out_of_range']],
  ['a cell below 0', { ...asked, cohort: 0, cell: -1 }, ['/cell out_of_range']],
])('POST retention/users with %s', async (_what, body, faults) => {
  expect(await request('retention/users', body)).toEqual(faults);
});

test.each([
  { to: 400 * DAY, periods: 60 },
  { to: 400 * DAY, period: 'month', periods: 60 },
])('POST retention/result within its bounds: %o', async (changes) => {
  const { status } = await api.request('POST', 'retention/result', {
    headers,
    body: { ...asked, ...changes },
  });

  expect(status).toBe(200);
});

test('more persons than its memory holds', async () => {
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at)
     select gen_random_uuid(), n, $1, gen_random_uuid(), 'm', 'action', 'viewd', 1500, now()
     from generate_series(1, 40000) n`,
    [tenant.applicationId],
  );
  const errorsOf = async (path: string, body: object) =>
    (await api.request('POST', path, { headers, body })).problem.errors;
  const expected = [
    { pointer: '/from', code: 'too_many', expected: expect.stringContaining('a shorter range') },
  ];

  expect(await errorsOf('retention/result', asked)).toMatchObject(expected);
  expect(await errorsOf('retention/users', { ...asked, cohort: 0 })).toMatchObject(expected);
});
