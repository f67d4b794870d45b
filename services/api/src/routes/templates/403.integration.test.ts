import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const body = { name: 'x', channel: 'SMS', message: { body: 'x' } };

test('a Server key reads and previews, and changes nothing', async () => {
  const { asServer: headers } = api;
  const { name: _name, ...content } = body;

  expect((await api.request('GET', 'templates', { headers })).status).toBe(200);
  expect((await api.request('POST', 'templates/preview', { headers, body: content })).status).toBe(
    200,
  );
  expect((await api.request('PUT', 'templates/x', { headers, body })).status).toBe(403);
  expect((await api.request('DELETE', 'templates/x', { headers })).status).toBe(403);
});

test('a marketer changes templates, a developer and a viewer do not', async () => {
  const put = async (role: 'marketer' | 'developer' | 'viewer') => {
    const { headers } = await api.signIn(role);
    return (await api.request('PUT', 'templates/x', { headers, body })).status;
  };

  expect([await put('viewer'), await put('developer'), await put('marketer')]).toEqual([
    403, 403, 200,
  ]);
});
