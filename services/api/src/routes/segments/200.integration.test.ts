import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readUser } from '@tidings/people/users';
import { configureChannel, registerUsers } from '@tidings/testing';
import { insertEvent } from '../../testing/log-rows.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asAdmin: headers, asServer } = api;
const { applicationId } = tenant;
const get = <T = Record<string, unknown>>(path: string) =>
  api.request<T>('GET', path, { headers: asServer });
const post = <T = Record<string, unknown>>(path: string, body: unknown) =>
  api.request<T>('POST', path, { headers: asServer, body });
const put = (slug: string, body: unknown) =>
  api.request('PUT', `segments/${slug}`, { headers, body });

const now = Date.now();
const german = { field: 'country', is: 'DE' };
const active = { event: 'click', count: { gte: 2 }, within: '7d' };

beforeAll(async () => {
  await registerUsers(db, applicationId, {
    ada: { country: 'DE', email: 'ada@example.org' },
    bob: { country: 'DE' },
    carl: { country: 'FR', email: 'carl@example.org' },
  });
  const { userId = '' } = (await readUser(db, applicationId, 'ada')) ?? {};
  await insertEvent(db, applicationId, { id: 'first', slug: 'click', userId, time: now - 5_000 });
  await insertEvent(db, applicationId, { id: 'last', slug: 'click', userId, time: now - 4_000 });
  await configureChannel(db, applicationId, 'EMAIL');
  await registerUsers(db, api.other.applicationId, { dora: { country: 'DE' } });
});

describe('PUT segments/{slug}', () => {
  test('creates a segment, and changes it to a new version', async () => {
    const first = await put('own', { name: 'Own', condition: { version: 1, ...german } });
    const second = await put('own', { name: 'Own', condition: active, expectedVersion: 1 });

    expect(first).toMatchObject({ status: 200, body: { slug: 'own', version: 1, usedBy: [] } });
    expect(first.body['condition']).toEqual(german);
    expect(second).toMatchObject({
      status: 200,
      body: { name: 'Own', condition: active, version: 2, updatedBy: 'token:test', warnings: [] },
    });
    expect((await get('segments/own')).body).toMatchObject({ version: 2, condition: active });
  });

  test('changes nothing for equal content', async () => {
    const condition = { all: [german, active] };
    await put('same', { name: 'Same', condition });

    const again = await put('same', {
      name: 'Same',
      condition: { all: [{ is: 'DE', field: 'country' }, active] },
    });

    expect(again.body).toMatchObject({ version: 1 });
  });

  test('warns of what may surprise', async () => {
    await api.request('POST', 'definitions', { headers, body: { name: 'old', kind: 'action' } });
    const { items } = (await get<{ items: { slug: string; name: string }[] }>('definitions')).body;
    const slug = String(items.find(({ name }) => name === 'old')?.slug);
    await api.request('PATCH', `definitions/${slug}`, { headers, body: { discarded: true } });

    const condition = { all: [{ event: slug }, { not: { message: {}, was: 'sent' } }] };
    const warnings = [
      { code: 'definition_discarded', pointer: '/condition/all/0/event' },
      {
        code: 'beyond_retention',
        pointer: '/condition/all/1/not',
        detail: 'Messages are kept for 90 days.',
      },
    ];

    expect((await put('old', { name: 'Old', condition })).body).toMatchObject({ warnings });
    expect((await post('segments/preview', { condition })).body).toMatchObject({ warnings });
  });
});

test('GET segments/{slug}/uses names what keeps a segment from being deleted', async () => {
  await put('named', { name: 'Named', condition: german });
  const none = await get('segments/named/uses');
  await put('naming', { name: 'Naming', condition: { not: { segment: 'named' } } });
  const variant = { name: 'x', condition: { segment: 'named' }, message: { body: 'y' } };
  await api.request('PUT', 'templates/code', {
    headers,
    body: {
      name: 'Code',
      channel: 'SMS',
      message: { body: 'x' },
      variants: [variant, { ...variant, name: 'y' }],
    },
  });
  const { body: campaign } = await post('campaigns', {
    segment: 'named',
    channel: 'EMAIL',
    message: { title: 'x', body: 'y' },
    sendAt: now + 3_600_000,
  });

  expect(none.body).toEqual({ segments: [], templates: [], automations: [], campaigns: [] });
  expect((await get('segments/named/uses')).body).toEqual({
    segments: [{ slug: 'naming', name: 'Naming' }],
    templates: [{ slug: 'code', name: 'Code' }],
    automations: [],
    campaigns: [campaign['campaignId']],
  });
});

test('GET segments lists those of the application, with the segments that name them', async () => {
  await put('base', { name: 'Base', condition: german });
  await put('above', { name: 'Above', condition: { not: { segment: 'base' } } });
  await api.request('PUT', 'segments/theirs', {
    headers: { ...headers, 'X-Application-Id': api.other.applicationId },
    body: { name: 'Theirs', condition: german },
  });

  const { items } = (await get<{ items: { slug: string }[] }>('segments?limit=500')).body;

  expect(items.map(({ slug }) => slug)).toEqual(expect.arrayContaining(['above', 'base']));
  expect(items.map(({ slug }) => slug)).not.toContain('theirs');
  expect(items.find(({ slug }) => slug === 'base')).toMatchObject({ usedBy: ['above'] });
});

test('DELETE segments/{slug} keeps its versions, and PUT continues them', async () => {
  await put('gone', { name: 'Gone', condition: german });

  expect((await api.request('DELETE', 'segments/gone', { headers })).status).toBe(204);

  expect((await get('segments/gone')).status).toBe(404);
  expect((await put('gone', { name: 'Back', condition: german })).body).toMatchObject({
    version: 2,
  });
  expect((await get('segments/gone/versions')).body['items']).toMatchObject([
    { version: 2, name: 'Back', createdBy: 'token:test' },
    { version: 1, name: 'Gone' },
  ]);
});

describe('questions about a condition', () => {
  test('preview asks all users of a small application', async () => {
    const { status, body } = await post('segments/preview', { condition: german });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      estimate: { count: 2, low: 2, high: 2, isExact: true },
      warnings: [],
      asOf: expect.any(Number),
    });
    expect((body['sample'] as string[]).toSorted()).toEqual(['ada', 'bob']);
  });

  test('preview counts each condition of a group by itself', async () => {
    const reachable = { reachable: 'EMAIL' };
    const condition = {
      all: [german, { not: { any: [reachable, { field: 'country', is: 'FR' }] } }, { not: german }],
    };

    const { body } = await post('segments/preview', { condition, parts: true });

    expect(body).toMatchObject({
      estimate: { count: 0 },
      parts: [
        { pointer: '/condition/all/0', count: 2 },
        { pointer: '/condition/all/1', count: 1 },
        { pointer: '/condition/all/1/not/any/0', count: 2 },
        { pointer: '/condition/all/1/not/any/1', count: 1 },
        { pointer: '/condition/all/2', count: 1 },
      ],
    });
    expect((await post('segments/preview', { condition })).body).not.toHaveProperty('parts');
  });

  test('preview counts no single conditions when there are many', async () => {
    const many = (length: number) => ({ any: Array.from({ length }, () => german) });
    const partsOf = async (length: number) =>
      (await post('segments/preview', { condition: many(length), parts: true })).body['parts'];

    expect(await partsOf(20)).toHaveLength(20);
    expect(await partsOf(21)).toEqual([]);
  });

  test('the list has the last count of a version, and what uses the segment', async () => {
    const listed = async () =>
      ((await get<{ items: { slug: string }[] }>('segments')).body.items ?? []).find(
        ({ slug }) => slug === 'counted',
      );
    await put('counted', { name: 'Counted', condition: german });
    await put('counting', { name: 'Names it', condition: { not: { segment: 'counted' } } });
    await api.request('PUT', 'templates/for-them', {
      headers,
      body: {
        name: 'For them',
        channel: 'SMS',
        message: { body: 'Hello' },
        variants: [
          { name: 'Them', condition: { segment: 'counted' }, message: { body: 'Hello, you' } },
        ],
      },
    });
    expect(await listed()).toMatchObject({
      lastCount: null,
      usedBy: ['counting'],
      templates: 1,
      campaigns: 0,
    });

    const { body } = await get('segments/counted/count');

    const { tookMs: _tookMs, ...counted } = body;
    expect(await listed()).toMatchObject({ lastCount: counted });
    expect((await get('segments/counted')).body).toMatchObject({ lastCount: { count: 2 } });
    await put('counted', { name: 'Counted', condition: active });
    expect(await listed()).toMatchObject({ lastCount: null, version: 2 });
  });

  test('a campaign for a segment is counted among its uses', async () => {
    await put('written-to', { name: 'Written to', condition: german });
    const sent = await api.request('POST', 'campaigns', {
      headers,
      body: {
        channel: 'EMAIL',
        purpose: 'transactional',
        segment: 'written-to',
        message: { title: 'Hello', body: 'Hello' },
      },
    });
    expect(sent.status).toBe(200);

    const { items } = (await get<{ items: { slug: string }[] }>('segments')).body;

    expect(items.find(({ slug }) => slug === 'written-to')).toMatchObject({ campaigns: 1 });
  });

  test('count has the members that each channel reaches', async () => {
    const { body } = await post('segments/count', { condition: german });

    expect(body).toMatchObject({ count: 2, reachable: { EMAIL: 1, SMS: 0, IN_APP: 0 } });
  });

  test('explain of a past instant counts the events until then', async () => {
    const at = now - 4_500;
    const condition = { any: [active, german] };
    const expected = {
      isMember: true,
      asOf: at,
      tree: [
        { pointer: '', result: true },
        { pointer: '/any/0', result: false, evidence: { count: 1, eventIds: ['first'] } },
        { pointer: '/any/1', result: true, evidence: { value: 'DE' }, isAsOfNow: true },
      ],
    };
    await put('then', { name: 'Then', condition });

    const asked = await post('segments/explain', { condition, customUserId: 'ada', at });
    const named = await get(`segments/then/users/ada?at=${at}`);

    expect(asked.body).toMatchObject(expected);
    expect(named.body).toMatchObject(expected);
    expect(JSON.stringify((await get('segments/then/users/ada')).body)).not.toContain('isAsOfNow');
  });

  test('explain has the evidence of each part', async () => {
    const { body } = await post('segments/explain', {
      condition: { all: [german, { not: active }] },
      customUserId: 'ada',
    });

    expect(body).toEqual({
      isMember: false,
      asOf: expect.any(Number),
      tree: [
        { pointer: '', key: 'all', result: false },
        {
          pointer: '/all/0',
          key: 'field',
          result: true,
          evidence: { value: 'DE', type: 'string' },
        },
        { pointer: '/all/1', key: 'not', result: false },
        {
          pointer: '/all/1/not',
          key: 'event',
          result: true,
          evidence: {
            count: 2,
            first: now - 5_000,
            last: now - 4_000,
            eventIds: ['last', 'first'],
          },
        },
      ],
    });
  });

  test('write no audit entries', async () => {
    const { headers: asMember } = await api.signIn('viewer');
    const body = { condition: german };

    expect((await api.request('POST', 'segments/count', { headers: asMember, body })).status).toBe(
      200,
    );

    const { rows } = await db.sql.query(
      "select from audit_entries where application_id = $1 and action like 'POST segments%'",
      [applicationId],
    );
    expect(rows).toEqual([]);
  });
});

describe('questions about a segment', () => {
  beforeAll(() => put('german', { name: 'German', condition: german }));

  test('count', async () => {
    expect((await get('segments/german/count')).body).toMatchObject({ count: 2 });
  });

  test('members, page by page', async () => {
    const first = await get('segments/german/users?limit=1');
    const second = await get(
      `segments/german/users?limit=1&cursor=${String(first.body['nextCursor'])}`,
    );

    expect(first.body).toEqual({
      items: [expect.objectContaining({ customUserId: 'ada' })],
      nextCursor: expect.any(String),
    });
    expect(second.body).toMatchObject({ items: [{ customUserId: 'bob' }], nextCursor: null });
    expect((await get('segments/german/users?cursor=ada')).status).toBe(400);
  });

  test('members as a file', async () => {
    const { text, headers: answered } = await get('segments/german/users?format=csv');

    expect(answered.get('content-type')).toContain('text/csv');
    expect(text.split('\r\n').map((line) => line.split(',')[0])).toEqual([
      'customUserId',
      'ada',
      'bob',
      '',
    ]);
  });

  test('explanation, through segments that it names', async () => {
    await put('not-german', { name: 'Not German', condition: { not: { segment: 'german' } } });

    const { body } = await get('segments/not-german/users/carl');

    expect(body).toMatchObject({
      isMember: true,
      tree: [
        { pointer: '', key: 'not', result: true },
        {
          pointer: '/not',
          key: 'segment',
          result: false,
          tree: [{ pointer: '', key: 'field', result: false, evidence: { value: 'FR' } }],
        },
      ],
    });
  });
});

test('GET users/{customUserId}/segments tells of each segment whether the user is in it', async () => {
  const conditions = Object.fromEntries(
    Array.from({ length: 45 }, (_, index) => [
      `each-${String(index).padStart(2, '0')}`,
      index % 3 === 0 ? german : index % 3 === 1 ? { not: german } : active,
    ]),
  );
  for (const [slug, condition] of Object.entries(conditions))
    await put(slug, { name: slug, condition });
  const membersOf = async (customUserId: string) => {
    const { body } = await get<{ items: { slug: string; isMember: boolean }[] }>(
      `users/${customUserId}/segments?limit=500`,
    );
    return body.items.filter(({ slug }) => slug.startsWith('each-'));
  };
  const expected = (isMember: (index: number) => boolean) =>
    Object.keys(conditions).map((slug, index) => ({ slug, name: slug, isMember: isMember(index) }));

  expect(await membersOf('ada')).toEqual(expected((index) => index % 3 !== 1));
  expect(await membersOf('carl')).toEqual(expected((index) => index % 3 === 1));
});

test('segments of other applications are not listed', async () => {
  const { status, body } = await api.request('GET', 'users/dora/segments', {
    headers: { ...headers, 'X-Application-Id': api.other.applicationId },
  });

  expect([status, (body['items'] as { slug: string }[]).map(({ slug }) => slug)]).toEqual([
    200,
    ['theirs'],
  ]);
});
