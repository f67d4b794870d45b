import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const DAY = 86_400_000;
/** A Monday in Kathmandu. */
const MONDAY = Date.parse('2026-03-29T18:15:00.000Z');
const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asServer, asAdmin } = api;

/** Who did what, in days after that Monday. */
const DONE: readonly (readonly [customUserId: string, slug: string, day: number])[] = [
  ['ada', 'signd', 0],
  ['ada', 'login', 0],
  ['ada', 'login', 7],
  ['ada', 'login', 21],
  ['bob', 'signd', 6.99],
  ['bob', 'login', 6.995],
  ['cem', 'signd', 8],
  ['cem', 'signd', 30],
  ['dan', 'signd', -20],
  ['dan', 'signd', 1],
  ['eve', 'login', 1],
];

beforeAll(async () => {
  await registerUsers(db, tenant.applicationId, {
    ada: { firstName: 'Ada', country: 'DE' },
    bob: { country: 'AT' },
    cem: {},
    dan: {},
    eve: {},
  });
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin)
     select $1, slug, 'action', slug, 'auto' from unnest(array['signd', 'login']) slug`,
    [tenant.applicationId],
  );
  for (const [customUserId, slug, day] of DONE)
    await db.sql.query(
      `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug,
         time, received_at)
       select gen_random_uuid(), 0, $1, u.id, 'm', 'action', $3, $4::bigint,
         to_timestamp($4::bigint / 1000.0)
       from users u where u.application_id = $1 and u.custom_user_id = $2`,
      [tenant.applicationId, customUserId, slug, MONDAY + day * DAY],
    );
});

const question = {
  start: { event: 'signd' },
  return: { event: 'login' },
  from: MONDAY,
  to: MONDAY + 14 * DAY,
  period: 'week',
  periods: 4,
  timeZone: 'Asia/Kathmandu',
};
type Result = {
  readonly cohorts: readonly {
    readonly at: number;
    readonly users: number;
    readonly returned: readonly (number | null)[];
    readonly isPartial: readonly boolean[];
  }[];
  readonly partialFrom: number | null;
  readonly asOf: number;
};
const ask = async (changes: object = {}) => {
  const { status, body, problem } = await api.request<Result>('POST', 'retention/result', {
    headers: asServer,
    body: { ...question, ...changes },
  });
  expect([status, problem.errors]).toEqual([200, undefined]);
  return body;
};
const cells = async (changes: object = {}) =>
  (await ask(changes)).cohorts.map(({ users, returned }) => [users, ...returned]);

describe('the numbers of retention', () => {
  test('are of cohorts by the first start, and of calendar weeks after it', async () => {
    const { cohorts, partialFrom } = await ask();

    expect(cohorts).toEqual([
      // Who logged in at the very instant did not come back then.
      { at: MONDAY, users: 3, returned: [1, 1, 0, 1], isPartial: [false, false, false, false] },
      {
        at: MONDAY + 7 * DAY,
        users: 1,
        returned: [0, 0, 0, 0],
        isPartial: [false, false, false, false],
      },
    ]);
    expect(partialFrom).toBeNull();
  });

  test.each([
    [
      'the same event returns',
      { return: undefined },
      [
        [3, 0, 0, 0, 0],
        [1, 0, 0, 0, 1],
      ],
    ],
    [
      'only the first of all starts counts',
      { first: 'ever' },
      [
        [2, 1, 1, 0, 1],
        [1, 0, 0, 0, 0],
      ],
    ],
    [
      'in that week or later',
      { unbounded: true },
      [
        [3, 2, 1, 1, 1],
        [1, 0, 0, 0, 0],
      ],
    ],
    [
      'fewer cells',
      { periods: 1 },
      [
        [3, 1],
        [1, 0],
      ],
    ],
    [
      'in months',
      { period: 'month', periods: 2 },
      [
        [2, 0, 1],
        [2, 1, 0],
      ],
    ],
  ])('%s', async (_what, changes, expected) => {
    expect(await cells(changes)).toEqual(expected);
  });

  test('later than now are null, and of a week that goes on partial', async () => {
    const now = Date.now();
    const { cohorts, partialFrom, asOf } = await ask({ from: now - 8 * DAY, to: now, periods: 3 });
    const last = cohorts.at(-1);

    expect(last?.returned).toEqual([0, null, null]);
    expect(last?.isPartial).toEqual([true, false, false]);
    expect(partialFrom).toBe(last?.at);
    expect(asOf).toBeGreaterThanOrEqual(now);
  });

  test('are of a segment', async () => {
    await api.request('PUT', 'segments/german', {
      headers: asAdmin,
      body: { name: 'German', condition: { field: 'country', is: 'DE' } },
    });

    expect(await cells({ segment: 'german' })).toEqual([
      [1, 0, 1, 0, 1],
      [0, 0, 0, 0, 0],
    ]);
  });

  test('warn of a definition whose events are not stored any more', async () => {
    const discard = (discarded: boolean) =>
      api.request('PATCH', 'definitions/login', { headers: asAdmin, body: { discarded } });
    await discard(true);

    expect(await ask()).toMatchObject({
      warnings: [{ code: 'definition_discarded', pointer: '/return/event' }],
      store: 'postgres',
      timeZone: 'Asia/Kathmandu',
    });
    await discard(false);
  });

  test('are those of one application', async () => {
    const { problem } = await api.request('POST', 'retention/result', {
      headers: { ...asAdmin, 'X-Application-Id': api.other.applicationId },
      body: question,
    });

    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([
      '/start/event',
      '/return/event',
    ]);
  });
});

describe('the people of a number', () => {
  type Page = {
    readonly items: readonly { readonly customUserId: string }[];
    readonly nextCursor: string | null;
  };
  const list = async (changes: object, query = '') => {
    const { body } = await api.request<Page>('POST', `retention/users${query}`, {
      headers: asServer,
      body: { ...question, cohort: MONDAY, ...changes },
    });
    return body;
  };
  const names = ({ items }: Page): string[] => items.map(({ customUserId }) => customUserId);

  test('are those of a cohort, or those of it who came back', async () => {
    expect(names(await list({}))).toEqual(['ada', 'bob', 'dan']);
    expect(names(await list({ cell: 0 }))).toEqual(['bob']);
    expect(names(await list({ cell: 3 }))).toEqual(['ada']);
    expect(names(await list({ cohort: MONDAY + 7 * DAY }))).toEqual(['cem']);
  });

  test('come in pages, and as a file', async () => {
    const first = await list({}, '?limit=2');
    const { text } = await api.request('POST', 'retention/users?format=csv', {
      headers: asAdmin,
      body: { ...question, cohort: MONDAY, cell: 3 },
    });

    expect(names(await list({}, `?cursor=${first.nextCursor}`))).toEqual(['dan']);
    expect(text.split('\r\n').slice(0, 2)).toEqual([
      'customUserId,firstName,lastName,email,phoneNumber',
      'ada,Ada,,,',
    ]);
  });

  test('are no file for a viewer, who may ask', async () => {
    const { headers } = await api.signIn('viewer');
    const request = (path: string, more: object = {}) =>
      api.request('POST', path, { headers, body: { ...question, ...more } });

    expect((await request('retention/result')).status).toBe(200);
    expect((await request('retention/users', { cohort: MONDAY })).status).toBe(200);
    expect((await request('retention/users?format=csv', { cohort: MONDAY })).status).toBe(403);
  });
});
