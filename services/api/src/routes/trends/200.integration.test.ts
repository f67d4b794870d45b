import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const NOW = Date.now();
const HOUR = 3_600_000;
const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asServer, asAdmin } = api;
const id = tenant.applicationId;

beforeAll(async () => {
  await registerUsers(db, id, {
    ada: { firstName: 'Ada', country: 'DE' },
    bob: { country: 'AT' },
    cem: {},
  });
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin, discarded)
     values ($1, 'viewd', 'action', 'viewed', 'auto', false),
       ($1, 'order', 'revenue', 'order', 'auto', false), ($1, 'oldxx', 'action', 'old', 'auto', true)`,
    [id],
  );
  const did = (who: string | null, slug: string, hoursAgo: number, more: object = {}) =>
    db.sql.query(
      `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug,
         time, received_at, attributes, revenue, currency)
       select gen_random_uuid(), 0, $1,
         (select u.id from users u where u.application_id = $1 and u.custom_user_id = $2), 'm',
         'action', $3, $4, now(), $5::jsonb -> 'attributes', ($5::jsonb ->> 'revenue')::float8,
         $5::jsonb ->> 'currency'`,
      [id, who, slug, NOW - hoursAgo * HOUR, JSON.stringify(more)],
    );
  await did('ada', 'viewd', 50, { attributes: { page: 'a' } });
  await did('ada', 'viewd', 2, { attributes: { page: 'b' } });
  await did('bob', 'viewd', 2, { attributes: { page: 'a' } });
  await did(null, 'viewd', 2, { attributes: { page: 'a' } });
  await did('ada', 'order', 2, { revenue: 0.1, currency: 'EUR' });
  await did(null, 'order', 2, { revenue: 0.2, currency: 'EUR' });
  await did('cem', 'order', 2, { revenue: 500, currency: 'JPY' });
  await did('cem', 'viewd', -20, { attributes: { page: 'a' } });
});

const question = {
  series: [{ event: 'viewd', measure: 'events' }],
  from: NOW - 60 * HOUR,
  to: NOW,
  step: 'day',
  timeZone: 'Asia/Kathmandu',
};
type Series = {
  readonly total: number;
  readonly points: readonly { readonly at: number; readonly value: number }[];
  readonly groups?: readonly { readonly value: unknown; readonly total: number }[];
  readonly outside?: number;
};
type Result = {
  readonly series: readonly Series[];
  readonly partialFrom: number | null;
  readonly timeZone: string;
  readonly warnings: readonly object[];
  readonly store: string;
};
const ask = async (changes: object = {}) => {
  const { status, body, problem } = await api.request<Result>('POST', 'trends/result', {
    headers: asServer,
    body: { ...question, ...changes },
  });
  expect([status, problem.errors]).toEqual([200, undefined]);
  return body;
};
const totals = async (changes: object): Promise<readonly number[]> =>
  (await ask(changes)).series.map(({ total }) => total);

describe('the numbers of a trend', () => {
  test('count events with and without a user, persons once, and money by its currency', async () => {
    const series = [
      { event: 'viewd', measure: 'events' },
      { event: 'viewd', measure: 'users' },
      { event: 'order', measure: { sum: 'EUR' } },
      { event: 'order', measure: { sum: 'JPY' } },
      { event: 'order', measure: 'users' },
    ];

    expect(await totals({ series })).toEqual([4, 2, 0.3, 500, 2]);
    // The same, from the events.
    expect(await totals({ series, breakdown: { attribute: 'page' } })).toEqual([4, 2, 0.3, 500, 2]);
  });

  test('have points for days of a zone, of which the last is not over', async () => {
    const { series, partialFrom, timeZone, store } = await ask();
    const points = series[0]?.points ?? [];

    expect(points.length).toBeGreaterThanOrEqual(3);
    expect(points.map(({ at }) => (at + 5.75 * HOUR) % (24 * HOUR))).toEqual(points.map(() => 0));
    expect([partialFrom, timeZone, store]).toEqual([
      points.at(-1)?.at,
      'Asia/Kathmandu',
      'postgres',
    ]);
    expect((await ask({ timeZone: undefined })).timeZone).toBe('UTC');
  });

  test('do not count what lies ahead', async () => {
    expect(await totals({ to: NOW + 48 * HOUR })).toEqual([4]);
    expect(await totals({ to: NOW + 48 * HOUR, breakdown: { attribute: 'page' } })).toEqual([4]);
  });

  test.each([
    [
      { attribute: 'page' },
      [
        ['a', 3],
        ['b', 1],
        [null, 0],
      ],
    ],
    [
      { field: 'country' },
      [
        ['DE', 2],
        ['AT', 1],
        [null, 1],
      ],
    ],
    [{ userAttribute: 'plan' }, [[null, 4]]],
  ])('have parts by %o', async (breakdown, expected) => {
    const { series } = await ask({ breakdown });

    expect(series[0]?.groups?.map(({ value, total }) => [value, total])).toEqual(expected);
  });

  test('are of a segment', async () => {
    await api.request('PUT', 'segments/german', {
      headers: asAdmin,
      body: { name: 'German', condition: { field: 'country', is: 'DE' } },
    });

    expect(await totals({ segment: 'german' })).toEqual([2]);
  });

  test('warn of a definition whose events are not stored any more', async () => {
    expect(await ask({ series: [{ event: 'oldxx', measure: 'users' }] })).toMatchObject({
      warnings: [{ code: 'definition_discarded', pointer: '/series/0/event' }],
    });
  });

  test('are those of one application', async () => {
    const { status, problem } = await api.request('POST', 'trends/result', {
      headers: { ...asAdmin, 'X-Application-Id': api.other.applicationId },
      body: question,
    });

    expect(status).toBe(400);
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/series/0/event']);
  });
});

describe('the people of a number', () => {
  type Page = {
    readonly items: readonly { readonly customUserId: string }[];
    readonly nextCursor: string | null;
  };
  const list = async (changes: object, query = '') => {
    const { body } = await api.request<Page>('POST', `trends/users${query}`, {
      headers: asServer,
      body: { ...question, ...changes },
    });
    return body;
  };
  const names = ({ items }: Page): string[] => items.map(({ customUserId }) => customUserId);

  test('are those with an event, of a point, of a group', async () => {
    const { series } = await ask();
    const [first] = series[0]?.points.filter(({ value }) => value > 0) ?? [];

    expect(names(await list({}))).toEqual(['ada', 'bob']);
    expect(names(await list({ at: first?.at }))).toEqual(['ada']);
    expect(names(await list({ breakdown: { attribute: 'page' }, group: 'b' }))).toEqual(['ada']);
    expect(names(await list({ breakdown: { field: 'country' }, group: 'AT' }))).toEqual(['bob']);
    expect(names(await list({ breakdown: { field: 'country' }, group: null }))).toEqual([]);
    expect(names(await list({ breakdown: { field: 'country' }, others: true }))).toEqual([]);
    expect(
      names(
        await list({
          series: [...question.series, { event: 'order', measure: { sum: 'JPY' } }],
          index: 1,
        }),
      ),
    ).toEqual(['cem']);
  });

  test('come in pages, and as a file', async () => {
    const first = await list({}, '?limit=1');
    const { text } = await api.request('POST', 'trends/users?format=csv', {
      headers: asAdmin,
      body: question,
    });

    expect(names(first)).toEqual(['ada']);
    expect(names(await list({}, `?cursor=${first.nextCursor}`))).toEqual(['bob']);
    expect(text.split('\r\n').slice(0, 2)).toEqual([
      'customUserId,firstName,lastName,email,phoneNumber',
      'ada,Ada,,,',
    ]);
  });

  test('are no file for a viewer, who may ask', async () => {
    const { headers } = await api.signIn('viewer');
    const request = (path: string) => api.request('POST', path, { headers, body: question });

    expect((await request('trends/result')).status).toBe(200);
    expect((await request('trends/users')).status).toBe(200);
    expect((await request('trends/users?format=csv')).status).toBe(403);
  });
});
