import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const body = { name: 'x', condition: { field: 'country', is: 'DE' } };

test('a Server key reads and asks, and changes nothing', async () => {
  const { asServer: headers } = api;

  expect((await api.request('GET', 'segments', { headers })).status).toBe(200);
  expect((await api.request('PUT', 'segments/x', { headers, body })).status).toBe(403);
  expect((await api.request('DELETE', 'segments/x', { headers })).status).toBe(403);
});

test('a marketer changes segments, a developer and a viewer do not', async () => {
  const put = async (role: 'marketer' | 'developer' | 'viewer') => {
    const { headers } = await api.signIn(role);
    return (await api.request('PUT', 'segments/x', { headers, body })).status;
  };

  expect([await put('viewer'), await put('developer'), await put('marketer')]).toEqual([
    403, 403, 200,
  ]);
});

test('a viewer downloads no list of members', async () => {
  const { headers } = await api.signIn('viewer');

  expect((await api.request('GET', 'segments/x/users', { headers })).status).toBe(200);
  expect((await api.request('GET', 'segments/x/users?format=csv', { headers })).status).toBe(403);
});
