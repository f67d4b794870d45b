import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;

test('a name is unique per kind, also with concurrent requests', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      api.request('POST', 'definitions', {
        headers,
        body: { name: 'bought', kind: 'action' },
      }),
    ),
  );

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(
    answers.filter(({ status, problem }) => status === 409 && problem.code === 'conflict'),
  ).toHaveLength(9);
  expect(
    (
      await api.request('POST', 'definitions', {
        headers,
        body: { name: 'bought', kind: 'revenue' },
      })
    ).status,
  ).toBe(201);
});

const make = async (name: string, kind = 'action'): Promise<string> =>
  String(
    (await api.request('POST', 'definitions', { headers, body: { name, kind } })).body['slug'],
  );
const merge = async (slug: string, into: string): Promise<number> =>
  (await api.request('POST', `definitions/${slug}/merge`, { headers, body: { into } })).status;
const patch = async (slug: string, body: unknown): Promise<number> =>
  (await api.request('PATCH', `definitions/${slug}`, { headers, body })).status;

test('renaming to a taken name', async () => {
  const [slug] = [await make('one'), await make('two'), await make('three', 'revenue')];

  expect(await patch(slug, { name: 'two' })).toBe(409);
  expect(await patch(slug, { name: 'three' })).toBe(200);
});

test('a definition is only merged into an active one of its own kind', async () => {
  const [a, b, c, gone, revenue] = [
    await make('a'),
    await make('b'),
    await make('c'),
    await make('gone'),
    await make('a', 'revenue'),
  ];
  await patch(gone, { discarded: true });

  expect(await merge(a, a)).toBe(409);
  expect(await merge(a, revenue)).toBe(409);
  expect(await merge(a, gone)).toBe(409);
  expect(await merge(a, b)).toBe(200);
  expect(await merge(a, c)).toBe(409);
  expect(await merge(c, a)).toBe(409);
  expect(await patch(a, { name: 'z' })).toBe(409);
  expect(await patch(a, { discarded: true })).toBe(409);
});

test('a definition with stored events is not deleted', async () => {
  const slug = await make('used');
  await api.db.sql.query(
    `insert into events (request_id, message_index, application_id, message_id, type, slug, time, received_at)
     values (gen_random_uuid(), 0, $1, 'm1', 'action', $2, 0, now())`,
    [api.tenant.applicationId, slug],
  );

  expect(await api.request('DELETE', `definitions/${slug}`, { headers })).toMatchObject({
    status: 409,
    problem: { code: 'conflict' },
  });
  expect((await api.request('GET', `definitions/${slug}`, { headers })).status).toBe(200);
});
