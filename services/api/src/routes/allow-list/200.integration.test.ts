import { afterAll, expect, test } from '@jest/globals';
import { findKeyGrant } from '@tidings/accounts/api-keys';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, other, asAdmin: headers, address: yourAddress } = api;

const read = async (): Promise<unknown> =>
  (await api.request('GET', 'allow-list', { headers })).body;
const write = (entries: unknown) =>
  api.request('PUT', 'allow-list', { headers, body: { entries } });

test('PUT allow-list normalizes entries, notifies the gateways, and affects key grants', async () => {
  expect(await read()).toEqual({ entries: [], yourAddress });

  const { status, body } = await write([
    '10.1.2.3/8',
    '2001:DB8::1/32',
    '10.9.9.9/8',
    '::ffff:203.0.113.7',
    '203.0.113.7/32',
  ]);

  const entries = ['10.0.0.0/8', '2001:db8::/32', '203.0.113.7'];
  expect([status, body]).toEqual([200, { entries, yourAddress }]);
  expect(await read()).toEqual({ entries, yourAddress });
  expect(api.keyChanges).toEqual([tenant.applicationId]);
  expect((await findKeyGrant(db, tenant.applicationId, tenant.clientKey))?.allowList).toEqual(
    entries,
  );
  expect((await findKeyGrant(db, other.applicationId, other.serverKey))?.allowList).toEqual([]);
});

test('a thousand entries are accepted, and an empty list disables it', async () => {
  expect(
    (await write(Array.from({ length: 1_000 }, (_, n) => `10.0.${n >> 8}.${n & 255}`))).status,
  ).toBe(200);
  expect((await write([])).body).toEqual({ entries: [], yourAddress });
  expect(await read()).toEqual({ entries: [], yourAddress });
});
