import { afterAll, expect, test } from '@jest/globals';
import { registerDevice } from '@tidings/people/devices/device-users';
import { readDevice } from '@tidings/people/devices/devices';
import { readUser } from '@tidings/people/users';
import { systemClock } from '@tidings/platform';
import { registerUsers } from '@tidings/testing';
import { callSdk, createSdkApplication, createTestDevice } from '../../testing/sdk-application.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const left: string[] = [];
const api = await startTestClientApi({ recheckSubscriptions: (userId) => left.push(userId) });
const { db } = api;
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test('the device gets a new anonymous user, keeps its push address, and its events stay with the previous user', async () => {
  const app = await createSdkApplication(db);
  await registerUsers(db, app.applicationId, ['ada']);
  const before = await registerDevice(db, systemClock, {
    ...app,
    deviceId: 'd',
    customUserId: 'ada',
    facts: { kind: 'fcm', address: { text: 'token', identity: 'token' }, locale: 'de' },
  });

  const { status, body } = await callSdk(api, 'logout', {
    method: 'POST',
    headers: app.headers,
    body: { deviceId: 'd' },
  });

  const after = await readDevice(db.sql, before);
  expect([status, body]).toEqual([200, { serviceUserId: after?.serviceUserId, isProved: false }]);
  expect(after).toMatchObject({ customUserId: null, kind: 'fcm', address: 'token', locale: 'de' });
  expect(after?.userId).not.toBe(before.userId);
  const ada = await readUser(db, app.applicationId, 'ada');
  expect(ada?.serviceUserIds).toContain(before.serviceUserId);
  expect(ada?.serviceUserIds).not.toContain(after?.serviceUserId);
  // Replicas with connections of the previous user are notified.
  expect(left).toEqual([before.userId]);
});

test('an anonymous device gets a new anonymous user too', async () => {
  const app = await createSdkApplication(db);
  const before = await createTestDevice(db, app);

  const { body } = await callSdk(api, 'logout', {
    method: 'POST',
    headers: app.headers,
    body: { deviceId: before.deviceId },
  });

  expect(body).not.toEqual({ serviceUserId: before.serviceUserId });
});
