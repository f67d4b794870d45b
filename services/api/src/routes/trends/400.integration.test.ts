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

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const views = { event: 'viewd', measure: 'users' };
const asked = { series: [views], from: 0, to: DAY, step: 'day', timeZone: 'UTC' };

const request = async (path: string, body: object): Promise<readonly string[]> => {
  const { status, problem } = await api.request('POST', path, { headers, body });
  expect(status).toBe(400);
  return (problem.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`).toSorted();
};

test.each([
  ['no body', {}, ['/from required', '/series required', '/step required', '/to required']],
  ['no series', { ...asked, series: [] }, ['/series empty']],
  [
    'six series',
    { ...asked, series: Array.from({ length: 6 }, () => views) },
    ['/series too_many'],
  ],
  ['series as text', { ...asked, series: 'viewd' }, ['/series wrong_type']],
  [
    'a series without an event',
    { ...asked, series: [{ measure: 'users' }] },
    ['/series/0/event required'],
  ],
  [
    'a series without a measure',
    { ...asked, series: [{ event: 'viewd' }] },
    ['/series/0/measure required'],
  ],
  [
    'an unknown event',
    { ...asked, series: [views, { ...views, event: 'nosuch' }] },
    ['/series/1/event invalid_value'],
  ],
  [
    'an unknown measure',
    { ...asked, series: [{ ...views, measure: 'people' }] },
    ['/series/0/measure invalid_value'],
  ],
  [
    'a sum of events without revenue',
    { ...asked, series: [{ ...views, measure: { sum: 'EUR' } }] },
    ['/series/0/measure invalid_value'],
  ],
  [
    'a sum of no currency',
    { ...asked, series: [{ event: 'order', measure: { sum: 'eur' } }] },
    ['/series/0/measure/sum invalid_value'],
  ],
  [
    'an empty measure',
    { ...asked, series: [{ event: 'order', measure: {} }] },
    ['/series/0/measure/sum required'],
  ],
  [
    'a comparison without an operator',
    { ...asked, series: [{ ...views, where: [{ attribute: 'price' }] }] },
    ['/series/0/where/0 exactly_one_of'],
  ],
  [
    'attributes of revenue',
    {
      ...asked,
      series: [{ event: 'order', measure: 'events', where: [{ attribute: 'a', gt: 1 }] }],
    },
    ['/series/0/where invalid_value'],
  ],
  [
    'an integer that would be rounded',
    {
      ...asked,
      series: [{ ...views, where: [{ attribute: 'a', is: JSON.rawJSON('9007199254740993') }] }],
    },
    ['/series/0/where/0/is out_of_range'],
  ],
  ['a minute as step', { ...asked, step: 'minute' }, ['/step invalid_value']],
  ['1,001 points', { ...asked, step: 'hour', to: 1_000 * HOUR + 1 }, ['/step too_many']],
  ['9,600 points', { ...asked, step: 'hour', to: 400 * DAY }, ['/step too_many']],
  ['an unknown zone', { ...asked, timeZone: 'Mars/Olympus' }, ['/timeZone invalid_value']],
  ['an offset as zone', { ...asked, timeZone: '+05:45' }, ['/timeZone invalid_value']],
  ['a range that ends where it begins', { ...asked, to: 0 }, ['/to out_of_range']],
  ['a range of over 400 days', { ...asked, to: 400 * DAY + 1 }, ['/to out_of_range']],
  ['an instant below 0', { ...asked, from: -1 }, ['/from out_of_range']],
  ['half an instant', { ...asked, from: 0.5 }, ['/from wrong_type']],
  ['a year of five digits', { ...asked, to: Date.UTC(10_000, 0) }, ['/to out_of_range']],
  ['an unknown segment', { ...asked, segment: 'nosuch' }, ['/segment invalid_value']],
  [
    'two breakdowns',
    { ...asked, breakdown: { field: 'city', attribute: 'a' } },
    ['/breakdown exactly_one_of'],
  ],
  ['an empty breakdown', { ...asked, breakdown: {} }, ['/breakdown exactly_one_of']],
  ['a breakdown as text', { ...asked, breakdown: 'city' }, ['/breakdown wrong_type']],
  [
    'an unknown field',
    { ...asked, breakdown: { field: 'nosuch' } },
    ['/breakdown/field invalid_value'],
  ],
  [
    'an empty attribute',
    { ...asked, breakdown: { attribute: '' } },
    ['/breakdown/attribute empty'],
  ],
  [
    'a breakdown of funnels',
    { ...asked, breakdown: { stepAttribute: 'a' } },
    ['/breakdown/stepAttribute invalid_value'],
  ],
  ['visitors', { ...asked, visitors: true }, ['/visitors invalid_value']],
])('POST trends/result with %s', async (_what, body, faults) => {
  expect(await request('trends/result', body)).toEqual(faults);
});

const parted = { ...asked, breakdown: { attribute: 'page' } };
const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

test.each([
  ['a fault of the question', { ...asked, step: 'minute' }, ['/step invalid_value']],
  ['no such series', { ...asked, index: 1 }, ['/index out_of_range']],
  ['a sixth series', { ...asked, index: 5 }, ['/index out_of_range']],
  ['an instant within a point', { ...asked, at: 1 }, ['/at invalid_value']],
  ['a group of no breakdown', { ...asked, group: 'a' }, ['/group invalid_value']],
  ['no value of no breakdown', { ...asked, group: null }, ['/group invalid_value']],
  ['others of no breakdown', { ...asked, others: true }, ['/others invalid_value']],
  ['a group and others', { ...parted, group: 'a', others: true }, ['/others exactly_one_of']],
  ['a group with U+0000', { ...parted, group: { a: ['\0'] } }, ['/group invalid_value']],
  ['half a surrogate', { ...parted, group: '\ud800' }, ['/group invalid_value']],
  ['a deep group', { ...parted, group: deep(100) }, ['/group invalid_value']],
])('POST trends/users with %s', async (_what, body, faults) => {
  expect(await request('trends/users', body)).toEqual(faults);
});

test.each([{ step: 'hour', to: 1_000 * HOUR }, { to: 400 * DAY }, { timeZone: undefined }])(
  'POST trends/result within its bounds: %o',
  async (changes) => {
    const { status } = await api.request('POST', 'trends/result', {
      headers,
      body: { ...asked, ...changes },
    });

    expect(status).toBe(200);
  },
);

test('more persons than its memory holds', async () => {
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at)
     select gen_random_uuid(), n, $1, gen_random_uuid(), 'm', 'action', 'viewd', 1500, now()
     from generate_series(1, 40000) n`,
    [tenant.applicationId],
  );

  const { status, problem } = await api.request('POST', 'trends/result', { headers, body: asked });

  expect([status, problem.errors]).toMatchObject([
    400,
    [{ pointer: '/from', code: 'too_many', expected: expect.stringContaining('a longer step') }],
  ]);
});
