import { afterAll, expect, test } from '@jest/globals';
import { listApiKeys } from '@tidings/accounts/api-keys';
import { systemIds } from '@tidings/platform';
import { asKey, startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, other, asAdmin: headers } = api;
const [theirs] = await listApiKeys(db, other.applicationId);

test.each([
  ['an unknown key', systemIds.uuid()],
  ['what is no id', 'x'],
  ['a key of another tenant', String(theirs?.id)],
])('%s', async (_name, id) => {
  expect(
    (await api.request('PATCH', `keys/${id}`, { headers, body: { type: 'client' } })).status,
  ).toBe(404);
  expect((await api.request('DELETE', `keys/${id}`, { headers })).status).toBe(404);

  expect(api.keyChanges).toEqual([]);
  expect(
    (await api.request('GET', 'campaigns', { headers: asKey(other, other.serverKey) })).status,
  ).toBe(200);
});
