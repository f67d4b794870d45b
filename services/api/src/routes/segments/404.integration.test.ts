import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;
const condition = { field: 'country', is: 'DE' };
await api.request('PUT', 'segments/known', { headers, body: { name: 'Known', condition } });

test.each([
  ['GET', 'segments/unknown'],
  ['DELETE', 'segments/unknown'],
  ['GET', 'segments/unknown/versions'],
  ['GET', 'segments/unknown/count'],
  ['GET', 'segments/unknown/uses'],
  ['GET', 'segments/unknown/users'],
  ['GET', 'segments/unknown/users?format=csv'],
  ['GET', 'segments/unknown/users/ada'],
  ['GET', 'segments/known/users/nobody'],
  ['GET', 'users/nobody/segments'],
  ['GET', 'segments/No%20slug'],
  ['GET', 'suggestions?event=nosuch'],
])('%s %s', async (method, path) => {
  expect((await api.request(method, path, { headers })).status).toBe(404);
});

test('a segment of another application', async () => {
  const others = { ...headers, 'X-Application-Id': api.other.applicationId };

  expect((await api.request('GET', 'segments/known', { headers: others })).status).toBe(404);
});

test('POST segments/explain of a user who is not registered', async () => {
  const body = { condition, customUserId: 'nobody' };

  expect((await api.request('POST', 'segments/explain', { headers, body })).status).toBe(404);
});
