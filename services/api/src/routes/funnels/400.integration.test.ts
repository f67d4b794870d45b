import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createQuestions, QUESTIONS_DEFAULTS } from '@tidings/segments/questions';
import { configureChannel, connectTestDatabase } from '@tidings/testing';
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
const step = { event: 'viewd' };
const asked = { steps: [step, step], window: '7d', from: 1_000, to: 2_000 };

test.each([
  ['no body', {}, ['/from required', '/steps required', '/to required', '/window required']],
  ['one step', { ...asked, steps: [step] }, ['/steps out_of_range']],
  [
    'eleven steps',
    { ...asked, steps: Array.from({ length: 11 }, () => step) },
    ['/steps too_many'],
  ],
  ['steps as text', { ...asked, steps: 'viewd' }, ['/steps wrong_type']],
  ['a step of another shape', { ...asked, steps: [step, 5] }, ['/steps/1 wrong_type']],
  ['a step without an event', { ...asked, steps: [step, {}] }, ['/steps/1/event required']],
  [
    'an unknown event',
    { ...asked, steps: [step, step, { event: 'nosuch' }] },
    ['/steps/2/event invalid_value'],
  ],
  [
    'an event of another kind',
    { ...asked, steps: [step, { event: { kind: 'click', name: 'viewed' } }] },
    ['/steps/1/event/kind invalid_value'],
  ],
  [
    'a comparison without an operator',
    { ...asked, steps: [step, { ...step, where: [{ attribute: 'price' }] }] },
    ['/steps/1/where/0 exactly_one_of'],
  ],
  [
    'attributes of revenue',
    { ...asked, steps: [step, { event: 'order', where: [{ attribute: 'price', gt: 1 }] }] },
    ['/steps/1/where invalid_value'],
  ],
  [
    'an integer that would be rounded',
    {
      ...asked,
      steps: [
        step,
        { ...step, where: [{ attribute: 'price', is: JSON.rawJSON('9007199254740993') }] },
      ],
    },
    ['/steps/1/where/0/is out_of_range'],
  ],
  ['no window', { ...asked, window: '0d' }, ['/window invalid_value']],
  ['a window in seconds', { ...asked, window: '5s' }, ['/window invalid_value']],
  ['a window of more than a year', { ...asked, window: '366d' }, ['/window out_of_range']],
  ['a range that ends where it begins', { ...asked, to: 1_000 }, ['/to out_of_range']],
  ['a range of over 400 days', { ...asked, to: 1_001 + 400 * DAY }, ['/to out_of_range']],
  ['an instant below 0', { ...asked, from: -1 }, ['/from out_of_range']],
  ['half an instant', { ...asked, from: 0.5 }, ['/from wrong_type']],
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
  ['visitors as text', { ...asked, visitors: 'yes' }, ['/visitors wrong_type']],
  ['something else', { ...asked, limit: 5 }, ['/limit invalid_value']],
])('POST funnels/result with %s', async (_what, body, faults) => {
  const { status, problem } = await api.request('POST', 'funnels/result', { headers, body });

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual(
    faults,
  );
});

test('visitors of a segment, whose members are registered', async () => {
  await api.request('PUT', 'segments/german', {
    headers: api.asAdmin,
    body: { name: 'German', condition: { field: 'country', is: 'DE' } },
  });

  const { problem } = await api.request('POST', 'funnels/result', {
    headers,
    body: { ...asked, segment: 'german', visitors: true },
  });

  expect(problem.errors).toMatchObject([{ pointer: '/visitors', code: 'invalid_value' }]);
});

test('more persons than its memory holds', async () => {
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at)
     select gen_random_uuid(), n, $1, gen_random_uuid(), 'm', 'action', 'viewd', 1500, now()
     from generate_series(1, 20000) n`,
    [tenant.applicationId],
  );

  const { status, problem } = await api.request('POST', 'funnels/result', { headers, body: asked });

  expect(status).toBe(400);
  expect(problem.errors).toMatchObject([
    { pointer: '/from', code: 'too_many', expected: expect.stringContaining('a shorter range') },
  ]);

  // So does a condition that asks it of all users.
  const { steps, window } = asked;
  const put = (path: string, body: object) =>
    api.request('PUT', path, { headers: api.asAdmin, body });
  await put('funnels/crowd', { name: 'Crowd', steps, window });
  const condition = { funnel: 'crowd', state: 'reached', step: 1, from: asked.from, to: asked.to };
  await put('segments/crowd', { name: 'Crowd', condition });
  for (const asking of [
    api.request('GET', 'segments/crowd/count', { headers }),
    api.request('GET', 'segments/crowd/users', { headers }),
    api.request('POST', 'segments/users', { headers, body: { condition } }),
  ])
    expect(await asking).toMatchObject({
      status: 400,
      problem: { errors: [{ pointer: '/condition', code: 'too_many' }] },
    });
  const series = [{ event: 'viewd', measure: 'users' }];
  const trend = { series, from: 0, to: DAY, step: 'day', timeZone: 'UTC', segment: 'crowd' };
  const ofSegment = {
    status: 400,
    problem: { errors: [{ pointer: '/segment', code: 'too_many' }] },
  };
  expect(await api.request('POST', 'trends/result', { headers, body: trend })).toMatchObject(
    ofSegment,
  );
  // No one enters the funnel itself. Where both are too many, its own persons are named.
  const few = { ...asked, steps: [{ event: 'order' }, step], segment: 'crowd' };
  for (const path of ['funnels/result', 'funnels/users'])
    expect(await api.request('POST', path, { headers, body: few })).toMatchObject(ofSegment);
  expect(
    (
      await api.request('POST', 'funnels/result', {
        headers,
        body: { ...asked, steps: [step, step, step], segment: 'crowd' },
      })
    ).problem.errors,
  ).toMatchObject([{ pointer: '/from', code: 'too_many' }]);
  await configureChannel(db, tenant.applicationId, 'EMAIL');
  const push = { segment: 'crowd', channel: 'EMAIL', message: { title: 'x', body: 'y' } };
  expect(
    await api.request('POST', 'campaigns', { headers, body: { ...push, dryRun: true } }),
  ).toMatchObject(ofSegment);
  // Few users are asked.
  expect(
    (await api.request('POST', 'segments/preview', { headers, body: { condition } })).status,
  ).toBe(200);
}, 60_000);

test.each([
  ['a group without a breakdown', { group: 'a' }, '/group invalid_value'],
  ['others without a breakdown', { others: true }, '/others invalid_value'],
  [
    'a group beside others',
    { breakdown: { field: 'country' }, group: null, others: true },
    '/others invalid_value',
  ],
  [
    'a group that is a list',
    { breakdown: { field: 'country' }, group: [[]] },
    '/group invalid_value',
  ],
  ['others as a number', { breakdown: { field: 'country' }, others: 1 }, '/others invalid_value'],
])('people of %s are refused', async (_what, changes, expected) => {
  const { status, problem } = await api.request('POST', 'funnels/users', {
    headers,
    body: { ...asked, ...changes },
  });

  expect([status, problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)]).toEqual([
    400,
    [expected],
  ]);
});
