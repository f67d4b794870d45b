import { afterAll, expect, test } from '@jest/globals';
import { listApiKeys } from '@tidings/accounts/api-keys';
import { systemIds } from '@tidings/platform';
import { asKey, startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { db, other, asAdmin: headers } = dashboard;
const [theirs] = await listApiKeys(db, other.applicationId);

test.each([
  ['a key nobody has', systemIds.uuid()],
  ['what is no id', 'x'],
  ['a key of another tenant', String(theirs?.id)],
])('%s', async (_name, id) => {
  expect(
    (await dashboard.request('PATCH', `keys/${id}`, { headers, body: { type: 'client' } })).status,
  ).toBe(404);
  expect((await dashboard.request('DELETE', `keys/${id}`, { headers })).status).toBe(404);

  expect(dashboard.keyChanges).toEqual([]);
  expect(
    (await dashboard.request('GET', 'campaigns', { headers: asKey(other, other.serverKey) }))
      .status,
  ).toBe(200);
});
