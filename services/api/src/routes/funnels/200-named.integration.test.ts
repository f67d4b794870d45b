import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts/limits';
import { registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const NOW = Date.now();
const MINUTE = 60_000;
const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asServer, asAdmin: headers } = api;

/** Who did what, in minutes before now. */
const DONE: readonly (readonly [customUserId: string, slug: string, minutes: number])[] = [
  ['ada', 'viewd', 300],
  ['ada', 'order', 290],
  ['bob', 'viewd', 300],
  ['cem', 'viewd', 300],
  ['cem', 'order', 200],
  ['dan', 'viewd', 10],
];

beforeAll(async () => {
  await registerUsers(db, tenant.applicationId, {
    ada: { firstName: 'Ada' },
    bob: { country: 'DE' },
    cem: {},
    dan: {},
  });
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin)
     select $1, slug, 'action', slug, 'auto' from unnest(array['viewd', 'order']) slug`,
    [tenant.applicationId],
  );
  for (const [customUserId, slug, minutes] of DONE)
    await db.sql.query(
      `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug,
         time, received_at)
       select gen_random_uuid(), 0, $1, u.id, 'm', 'action', $3, $4, now()
       from users u where u.application_id = $1 and u.custom_user_id = $2`,
      [tenant.applicationId, customUserId, slug, NOW - minutes * MINUTE],
    );
});

const funnel = {
  name: 'Buying',
  steps: [{ event: 'viewd' }, { event: 'order' }],
  window: '1h',
};
const put = (slug: string, changes: object = {}) =>
  api.request('PUT', `funnels/${slug}`, { headers, body: { ...funnel, ...changes } });
const get = async <T>(path: string): Promise<T> =>
  (await api.request<T>('GET', path, { headers: asServer })).body;
type Page = { readonly items: readonly { readonly customUserId: string }[] };
const peopleOf = async (query: string): Promise<string[]> =>
  (await get<Page>(`funnels/buying/users?${query}`)).items.map(({ customUserId }) => customUserId);

describe('PUT funnels/{slug}', () => {
  test('creates a funnel, and changes it to a new version', async () => {
    const first = await put('own');
    const second = await put('own', { window: '2h', expectedVersion: 1 });

    expect(first).toMatchObject({
      status: 200,
      body: { slug: 'own', ...funnel, version: 1, updatedBy: 'token:test', warnings: [] },
    });
    expect(second).toMatchObject({ body: { version: 2, window: '2h' } });
    const { warnings: _warnings, ...stored } = second.body;
    expect(await get('funnels/own')).toEqual(stored);
    expect(await get('funnels')).toMatchObject({ items: [stored], nextCursor: null });
    expect(await get('funnels/own/versions')).toMatchObject({
      items: [
        { version: 2, window: '2h', createdBy: 'token:test' },
        { version: 1, window: '1h' },
      ],
    });
  });

  test('changes nothing for equal content', async () => {
    await put('same');

    expect((await put('same')).body).toMatchObject({ version: 1 });
  });

  test.each(['Покупка', 'קנייה', '购买', 'ख़रीद'])('takes the name %s', async (name) => {
    await put('script', { name });

    expect(await get('funnels/script')).toMatchObject({ name });
  });

  test('is refused when the funnel moved', async () => {
    await put('moved');
    await put('moved', { window: '2h' });

    expect((await put('moved', { expectedVersion: 1 })).status).toBe(409);
    expect((await put('moved', { expectedVersion: 0 })).status).toBe(409);
    expect((await put('absent', { expectedVersion: 1 })).status).toBe(409);
  });

  test('of writers at the same time, one makes the next version', async () => {
    await put('race');

    const written = await Promise.all(
      [1, 2, 3, 4].map((each) => put('race', { name: `of ${each}`, expectedVersion: 1 })),
    );

    expect(written.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  });

  test.each([
    ['a blank name', { name: ' ' }, '/name invalid_value'],
    ['one step', { steps: [{ event: 'viewd' }] }, '/steps out_of_range'],
    [
      'an unknown event',
      { steps: [{ event: 'viewd' }, { event: 'x' }] },
      '/steps/1/event invalid_value',
    ],
    ['no window', { window: '0d' }, '/window invalid_value'],
    ['a range', { from: 1 }, '/from invalid_value'],
  ])('with %s is a fault, and stores nothing', async (_what, changes, fault) => {
    const { status, problem } = await put('faulty', changes);

    expect(status).toBe(400);
    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([fault]);
    expect((await api.request('GET', 'funnels/faulty', { headers })).status).toBe(404);
  });

  test('is no slug', async () => {
    expect((await put('No%20slug')).problem.errors).toMatchObject([{ pointer: '/slug' }]);
  });
});

test('a deleted funnel is not found, and PUT continues its versions', async () => {
  await put('gone');

  expect((await api.request('DELETE', 'funnels/gone', { headers })).status).toBe(204);

  for (const path of ['funnels/gone', 'funnels/gone/result', 'funnels/gone/users'])
    expect((await api.request('GET', path, { headers })).status).toBe(404);
  expect((await api.request('DELETE', 'funnels/gone', { headers })).status).toBe(404);
  expect(await get('funnels/gone/versions')).toMatchObject({ items: [{ version: 1 }] });
  expect((await put('gone')).body).toMatchObject({ version: 2 });
});

describe('a named funnel', () => {
  beforeAll(async () => {
    await put('buying');
  });

  test('has the numbers of the last 30 days, or of a range', async () => {
    expect(await get('funnels/buying/result')).toMatchObject({
      steps: [{ users: 4, dropped: 2, open: 1 }, { users: 1 }],
    });
    expect(await get(`funnels/buying/result?from=${NOW - 20 * MINUTE}&to=${NOW}`)).toMatchObject({
      steps: [{ users: 1, dropped: 0, open: 1 }, { users: 0 }],
    });
  });

  test.each([
    ['', ['ada', 'bob', 'cem', 'dan']],
    ['state=reached&step=2', ['ada']],
    ['state=converted', ['ada']],
    ['state=dropped', ['bob', 'cem']],
    ['state=open&step=1', ['dan']],
    [`state=reached&from=${NOW - 20 * MINUTE}`, ['dan']],
    ['state=dropped&limit=1', ['bob']],
  ])('lists the people of a number: %s', async (query, expected) => {
    expect(await peopleOf(query)).toEqual(expected);
  });

  test('in pages, and as a file', async () => {
    const first = await get<Page & { nextCursor: string }>('funnels/buying/users?limit=3');
    const { text } = await api.request('GET', 'funnels/buying/users?state=converted&format=csv', {
      headers,
    });

    expect(await peopleOf(`cursor=${first.nextCursor}`)).toEqual(['dan']);
    expect(text.split('\r\n').slice(0, 2)).toEqual([
      'customUserId,firstName,lastName,email,phoneNumber',
      'ada,Ada,,,',
    ]);
  });

  test.each([
    ['state=dropped&step=2', '/step out_of_range'],
    ['state=reached&step=3', '/step out_of_range'],
    ['state=converted&step=2', '/step invalid_value'],
    ['state=lost', '/state invalid_value'],
    ['step=0', '/step out_of_range'],
    ['from=2000&to=1000', '/to out_of_range'],
  ])('has no number %s', async (query, fault) => {
    const { status, problem } = await api.request('GET', `funnels/buying/users?${query}`, {
      headers,
    });

    expect(status).toBe(400);
    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([fault]);
  });
});

test('POST funnels/users lists the people of a number, also of a segment', async () => {
  const { steps, window } = funnel;
  const body = { steps, window, from: NOW - 400 * MINUTE, to: NOW, state: 'dropped', step: 1 };
  await api.request('PUT', 'segments/german', {
    headers,
    body: { name: 'German', condition: { field: 'country', is: 'DE' } },
  });
  const list = async (changes: object) =>
    (
      await api.request<Page>('POST', 'funnels/users', {
        headers: asServer,
        body: { ...body, ...changes },
      })
    ).body.items.map(({ customUserId }) => customUserId);

  expect(await list({})).toEqual(['bob', 'cem']);
  expect(await list({ segment: 'german' })).toEqual(['bob']);
  expect(await list({ state: 'open' })).toEqual(['dan']);
});

describe('roles', () => {
  test('a Server key reads and asks, and changes nothing', async () => {
    const as = { headers: asServer };

    expect((await api.request('GET', 'funnels', as)).status).toBe(200);
    expect((await api.request('PUT', 'funnels/x', { ...as, body: funnel })).status).toBe(403);
    expect((await api.request('DELETE', 'funnels/x', as)).status).toBe(403);
  });

  test('a viewer downloads no list of people', async () => {
    const viewer = await api.signIn('viewer');
    await put('buying');
    const list = (query: string) =>
      api.request('GET', `funnels/buying/users?${query}`, { headers: viewer.headers });

    expect((await list('limit=1')).status).toBe(200);
    expect((await list('format=csv')).status).toBe(403);
  });
});

test('no more funnels than the limit', async () => {
  await db.sql.query(
    `insert into funnels (application_id, slug, name, definition, version, updated_by)
     select $1, 'many-' || n, 'Many', $3, 1, 'test' from generate_series(1, $2::int) n`,
    [tenant.applicationId, LIMITS.funnelsMax, { steps: funnel.steps, window: funnel.window }],
  );

  expect((await put('one-more')).status).toBe(409);
  expect((await put('many-1', { name: 'Still changes' })).status).toBe(200);
});
