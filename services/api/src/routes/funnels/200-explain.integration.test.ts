import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const NOW = Date.now();
const MINUTE = 60_000;
const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asServer, asAdmin } = api;

/** Who did what, in minutes before now, at which price. */
const DONE: readonly (readonly [
  customUserId: string,
  id: string,
  slug: string,
  minutes: number,
  price?: string,
])[] = [
  ['ada', 'a1', 'viewd', 300],
  ['ada', 'a2', 'order', 290, '60'],
  ['bob', 'b1', 'viewd', 300],
  ['bob', 'b2', 'order', 280, '1234567890.1234567'],
  ['bob', 'b3', 'order', 270, '"60"'],
  ['bob', 'b4', 'order', 200, '60'],
  ['bob', 'b5', 'order', 190, '60'],
  ['cem', 'c1', 'viewd', 10],
  ['dan', 'd1', 'order', 300, '60'],
];

beforeAll(async () => {
  await registerUsers(db, tenant.applicationId, { ada: {}, bob: {}, cem: {}, dan: {} });
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin)
     select $1, slug, 'action', slug, 'auto' from unnest(array['viewd', 'order']) slug`,
    [tenant.applicationId],
  );
  for (const [customUserId, id, slug, minutes, price = 'null'] of DONE)
    await db.sql.query(
      `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug,
         time, received_at, attributes)
       select gen_random_uuid(), 0, $1, u.id, $3, 'action', $4, $5, now(),
         jsonb_build_object('price', $6::jsonb)
       from users u where u.application_id = $1 and u.custom_user_id = $2`,
      [tenant.applicationId, customUserId, id, slug, NOW - minutes * MINUTE, price],
    );
  await api.request('PUT', 'funnels/buying', {
    headers: asAdmin,
    body: { name: 'Buying', ...funnel },
  });
});

const funnel = {
  steps: [
    { event: 'viewd' },
    {
      event: 'order',
      where: [
        { attribute: 'price', gt: 50 },
        { attribute: 'price', isNot: 1_234_567_890.123_456_7 },
      ],
    },
  ],
  window: '1h',
};
const range = { from: NOW - 400 * MINUTE, to: NOW };
const at = (minutes: number): number => NOW - minutes * MINUTE;
const explain = async (customUserId: string) => {
  const { from, to } = range;
  const { body } = await api.request(
    'GET',
    `funnels/buying/users/${customUserId}?from=${from}&to=${to}`,
    { headers: asServer },
  );
  return body;
};

describe('an explanation says', () => {
  test('by which events the person came to the end', async () => {
    expect(await explain('ada')).toEqual({
      reached: 2,
      state: 'converted',
      steps: [
        { at: at(300), eventId: 'a1' },
        { at: at(290), eventId: 'a2' },
      ],
      asOf: expect.any(Number),
    });
  });

  test('what a comparison refused, until when it was looked, and what came too late', async () => {
    expect(await explain('bob')).toMatchObject({
      reached: 1,
      state: 'dropped',
      steps: [
        { at: at(300), eventId: 'b1' },
        {
          missing: {
            lookedUntil: at(240),
            nextAfterwards: { at: at(200), eventId: 'b4' },
            rejected: [
              { eventId: 'b2', pointer: '/steps/1/where/1' },
              { eventId: 'b3', pointer: '/steps/1/where/0' },
            ],
          },
        },
      ],
    });
  });

  test('that the person may still go on', async () => {
    expect(await explain('cem')).toMatchObject({
      reached: 1,
      state: 'open',
      steps: [{ eventId: 'c1' }, { missing: { lookedUntil: at(-50), rejected: [] } }],
    });
  });

  test('that the person did not enter', async () => {
    expect(await explain('dan')).toMatchObject({
      reached: 0,
      state: 'not_entered',
      steps: [{ missing: { lookedUntil: NOW - 1, rejected: [] } }],
    });
  });

  test('the same of steps that are not stored', async () => {
    const { status, body } = await api.request('POST', 'funnels/explain', {
      headers: asServer,
      body: { ...funnel, ...range, customUserId: 'bob' },
    });

    const { asOf: _asOf, ...stored } = await explain('bob');
    expect([status, body]).toEqual([200, { ...stored, asOf: expect.any(Number) }]);
  });
});

test.each([
  ['GET', 'funnels/buying/users/nosuch', undefined, 404],
  ['GET', 'funnels/nosuch/users/ada', undefined, 404],
  ['POST', 'funnels/explain', { ...funnel, ...range, customUserId: 'nosuch' }, 404],
  ['POST', 'funnels/explain', { ...funnel, from: 1, to: 1, customUserId: 'ada' }, 400],
  ['POST', 'funnels/explain', { ...funnel, ...range }, 400],
  ['POST', 'funnels/explain', { ...funnel, ...range, customUserId: 'ada', segment: 'x' }, 400],
])('%s %s of %j is %s', async (method, path, body, expected) => {
  const { status } = await api.request(method, path, {
    headers: asServer,
    ...(body !== undefined && { body }),
  });

  expect(status).toBe(expected);
});

test('a user of another application is not explained', async () => {
  await registerUsers(db, api.other.applicationId, { eve: {} });

  const { status } = await api.request('POST', 'funnels/explain', {
    headers: asServer,
    body: { ...funnel, ...range, customUserId: 'eve' },
  });

  expect(status).toBe(404);
});
