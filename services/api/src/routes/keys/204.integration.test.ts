import { afterAll, expect, test } from '@jest/globals';
import { asKey, startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { tenant, asAdmin: headers } = api;

test('DELETE keys/{id} revokes a key at once, notifies the gateways, and frees its slot', async () => {
  const create = () =>
    api.request('POST', 'keys', { headers, body: { type: 'server', name: 'x' } });
  const keys = [];
  for (let answer = await create(); answer.status === 201; answer = await create())
    keys.push(answer.body);
  const [first] = keys;
  expect(keys).toHaveLength(14);

  const { status, text } = await api.request('DELETE', `keys/${String(first?.['id'])}`, {
    headers,
  });

  expect([status, text]).toEqual([204, '']);
  expect(api.keyChanges).toHaveLength(15);
  expect(
    (
      await api.request('GET', 'campaigns', {
        headers: asKey(tenant, String(first?.['key'])),
      })
    ).status,
  ).toBe(403);
  expect((await api.request('GET', 'keys', { headers })).text).not.toContain(String(first?.['id']));
  expect((await create()).status).toBe(201);
});
