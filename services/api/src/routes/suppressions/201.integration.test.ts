import { afterAll, expect, test } from '@jest/globals';
import { updateApplication } from '@tidings/people/update-application';
import { configureChannel, registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asAdmin: headers } = api;
const post = (body: unknown) => api.request('POST', 'suppressions', { headers, body });

test('POST suppressions stores a normalized address, once per reason', async () => {
  const first = await post({
    channel: 'EMAIL',
    address: ' Ada@Example.ORG',
    reason: 'suppressed_complaint',
  });
  const again = await post({
    channel: 'EMAIL',
    address: 'ada@example.org',
    reason: 'suppressed_complaint',
  });
  const other = await post({
    channel: 'EMAIL',
    address: 'ada@example.org',
    reason: 'unsubscribed',
  });

  expect([first.status, again.status, other.status]).toEqual([201, 201, 201]);
  expect(first.body).toEqual({
    id: expect.any(String),
    channel: 'EMAIL',
    address: 'ada@example.org',
    reason: 'suppressed_complaint',
    createdAt: expect.any(Number),
  });
  expect(again.body).toEqual(first.body);
  expect(other.body['id']).not.toBe(first.body['id']);
});

test('a mailbox has one suppression in every spelling', async () => {
  const first = await post({
    channel: 'EMAIL',
    address: 'bob@münchen.example',
    reason: 'unsubscribed',
  });
  const again = await post({
    channel: 'EMAIL',
    address: 'Bob@XN--MNCHEN-3ya.example',
    reason: 'unsubscribed',
  });

  expect(first.body).toMatchObject({ address: 'bob@xn--mnchen-3ya.example' });
  expect(again.body).toEqual(first.body);
});

test('a number without country code uses the default country', async () => {
  await updateApplication(db, tenant.applicationId, { settings: { defaultCountry: 'DE' } });

  expect(
    (await post({ channel: 'SMS', address: '0151 12345001', reason: 'sms_stop' })).body,
  ).toMatchObject({ address: '+4915112345001' });
});

test('a suppression is visible in GET users/{id} at once; an unsubscription blocks marketing only', async () => {
  await configureChannel(db, tenant.applicationId, 'EMAIL');
  await registerUsers(db, tenant.applicationId, {
    bob: { email: 'Bob@example.org' },
    eve: { email: 'eve@example.org' },
  });
  await post({ channel: 'EMAIL', address: 'bob@EXAMPLE.org', reason: 'suppressed_bounce' });
  await post({ channel: 'EMAIL', address: 'eve@example.org', reason: 'unsubscribed' });
  const reachable = async (user: string) =>
    (
      await api.request<{ reachable: Record<string, unknown> }>('GET', `users/${user}`, {
        headers: api.asServer,
      })
    ).body.reachable['EMAIL'];

  expect(await reachable('bob')).toEqual({ ok: false, reason: 'suppressed_bounce' });
  expect(await reachable('eve')).toEqual({ ok: true });
});
