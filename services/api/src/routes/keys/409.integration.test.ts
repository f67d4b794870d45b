import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;

test('a Client key stays a Client key', async () => {
  const { body: page } = await api.request<{ items: { id: string; type: string }[] }>(
    'GET',
    'keys',
    { headers },
  );
  const client = page.items.find(({ type }) => type === 'client');

  const { status, problem } = await api.request('PATCH', `keys/${String(client?.id)}`, {
    headers,
    body: { type: 'client' },
  });

  expect([status, problem.code]).toEqual([409, 'conflict']);
});

test('no key becomes a Server key, and an unknown one gets 404', async () => {
  const { body: page } = await api.request<{ items: { id: string }[] }>('GET', 'keys', {
    headers,
  });
  const body = { type: 'server' };

  for (const { id } of page.items) {
    const { status, problem } = await api.request('PATCH', `keys/${id}`, { headers, body });
    expect([status, problem.code]).toEqual([409, 'conflict']);
  }
  expect((await api.request('PATCH', `keys/${systemIds.uuid()}`, { headers, body })).status).toBe(
    404,
  );
});

test('an application has at most 16 keys, also with concurrent requests', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      api.request('POST', 'keys', { headers, body: { type: 'server', name: 'x' } }),
    ),
  );

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(14);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
  const { body } = await api.request<{ items: unknown[] }>('GET', 'keys', { headers });
  expect(body.items).toHaveLength(16);
});
