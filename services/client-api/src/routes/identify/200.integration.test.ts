import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rotateUserTokenSecret } from '@tidings/accounts/user-token-secrets';
import { readDevice, type Device } from '@tidings/people/devices/devices';
import { updateApplication } from '@tidings/people/update-application';
import { readUser } from '@tidings/people/users';
import { systemClock } from '@tidings/platform';
import { registerUsers, testSecretBox } from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import { offerTo, openStream } from '../../testing/inbox-messages.ts';
import {
  callSdk,
  createSdkApplication,
  createTestDevice,
  type SdkApplication,
} from '../../testing/sdk-application.ts';
import { tokenOf } from '../../testing/sign-token.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const left: string[] = [];
const api = await startTestClientApi({ recheckSubscriptions: (userId) => left.push(userId) });
const { db } = api;
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

let app: SdkApplication;
let secret: string;
const rotate = async () =>
  (await rotateUserTokenSecret(db, testSecretBox, app.applicationId))?.secret ?? '';
beforeEach(async () => {
  app = await createSdkApplication(db);
  secret = await rotate();
  await registerUsers(db, app.applicationId, ['ada', 'bob']);
});

const identify = (deviceId: string, userToken: string) =>
  callSdk(api, 'identify', { method: 'POST', headers: app.headers, body: { deviceId, userToken } });
const idOf = async (customUserId: string) =>
  (await readUser(db, app.applicationId, customUserId))?.userId;
const read = (device: Device) => readDevice(db.sql, device);

describe('an anonymous device', () => {
  test('moves to the user with its events, and keeps its id', async () => {
    const device = await createTestDevice(db, app);

    const { status, body } = await identify(device.deviceId, tokenOf(secret, 'ada'));

    expect([status, body]).toEqual([200, { serviceUserId: device.serviceUserId, isProved: true }]);
    expect(await read(device)).toMatchObject({
      userId: await idOf('ada'),
      customUserId: 'ada',
      serviceUserId: device.serviceUserId,
    });
    const { rows } = await db.sql.query('select merged_into from users where id = $1', [
      device.userId,
    ]);
    expect(rows).toEqual([{ merged_into: await idOf('ada') }]);
    expect((await readUser(db, app.applicationId, 'ada'))?.serviceUserIds).toContain(
      device.serviceUserId,
    );
  });

  test('can be one of many devices of the user', async () => {
    const devices = await Promise.all([1, 2, 3].map(() => createTestDevice(db, app)));

    await Promise.all(devices.map(({ deviceId }) => identify(deviceId, tokenOf(secret, 'ada'))));

    const after = await Promise.all(devices.map(read));
    expect(new Set(after.map((device) => device?.userId))).toEqual(new Set([await idOf('ada')]));
    expect(new Set(after.map((device) => device?.serviceUserId)).size).toBe(3);
  });

  test('gets waiting messages of its user at once, on its open connection', async () => {
    await using patient = await startTestClientApi({ inbox: { pollIntervalMs: 60_000 } });
    const device = await createTestDevice(db, app);
    const stream = await openStream(patient.url, {
      headers: app.headers,
      deviceId: device.deviceId,
    });
    const { deliveryId } = await offerTo(db, { applicationId: app.applicationId });

    await callSdk(patient, 'identify', {
      method: 'POST',
      headers: app.headers,
      body: { deviceId: device.deviceId, userToken: tokenOf(secret, 'ada') },
    });

    expect((await stream.next()).data.deliveryId).toBe(deliveryId);
    stream.close();
  });

  test('is announced once to all replicas that may hold its connections', async () => {
    const device = await createTestDevice(db, app);

    await identify(device.deviceId, tokenOf(secret, 'ada'));
    await identify(device.deviceId, tokenOf(secret, 'ada'));

    expect(left.filter((userId) => userId === device.userId)).toEqual([device.userId]);
    expect(left).not.toContain(await idOf('ada'));
  });

  test('can identify an unregistered user, without registering the user', async () => {
    const device = await createTestDevice(db, app);

    expect((await identify(device.deviceId, tokenOf(secret, 'carl'))).status).toBe(200);

    expect(await read(device)).toMatchObject({ customUserId: 'carl' });
    expect(await readUser(db, app.applicationId, 'carl')).toBeNull();
  });
});

describe('a device of a known user', () => {
  test('stays with the user when identified again', async () => {
    const device = await createTestDevice(db, { ...app, customUserId: 'ada' });

    for (const _ of [1, 2])
      expect((await identify(device.deviceId, tokenOf(secret, 'ada'))).body).toEqual({
        serviceUserId: device.serviceUserId,
        isProved: true,
      });

    expect(await read(device)).toMatchObject({ userId: await idOf('ada') });
  });

  test('moves to another user with a new id, without its history', async () => {
    const device = await createTestDevice(db, { ...app, customUserId: 'ada' });

    const { body } = await identify(device.deviceId, tokenOf(secret, 'bob'));

    expect(body).not.toEqual({ serviceUserId: device.serviceUserId });
    expect(await read(device)).toMatchObject({
      userId: await idOf('bob'),
      customUserId: 'bob',
      serviceUserId: (body as { readonly serviceUserId: string }).serviceUserId,
    });
    expect((await readUser(db, app.applicationId, 'ada'))?.serviceUserIds).toContain(
      device.serviceUserId,
    );
    expect((await readUser(db, app.applicationId, 'bob'))?.serviceUserIds).not.toContain(
      device.serviceUserId,
    );
  });
});

test('tokens of the current and the previous secret are valid, older ones are not', async () => {
  const { deviceId } = await createTestDevice(db, app);
  const oldest = secret;
  const middle = await rotate();
  const statuses = async () =>
    Promise.all(
      [oldest, middle].map(async (one) => (await identify(deviceId, tokenOf(one, 'ada'))).status),
    );

  expect(await statuses()).toEqual([200, 200]);
  await rotate();
  expect(await statuses()).toEqual([403, 200]);
  await db.sql.query(
    "update user_token_secrets set previous_secret_until = now() - interval '1 second' where application_id = $1",
    [app.applicationId],
  );
  expect(await statuses()).toEqual([403, 403]);
});

test('a bare customUserId is accepted if the application allows it', async () => {
  const open = await createSdkApplication(db);
  await updateApplication(db, open.applicationId, { settings: { userTokens: 'optional' } });
  const device = await createTestDevice(db, open);

  const { status } = await callSdk(api, 'identify', {
    method: 'POST',
    headers: open.headers,
    body: { deviceId: device.deviceId, customUserId: 'ada' },
  });

  expect(status).toBe(200);
  expect(await read(device)).toMatchObject({ customUserId: 'ada' });
});

test('a device of a deleted user is unknown until it registers again, as a new user', async () => {
  const device = await createTestDevice(db, { ...app, customUserId: 'ada' });
  await deleteUser(db, {
    applicationId: app.applicationId,
    customUserId: 'ada',
    clock: systemClock,
  });

  expect((await identify(device.deviceId, tokenOf(secret, 'bob'))).status).toBe(404);
  const { rows } = await db.sql.query('select 1 from devices where application_id = $1', [
    app.applicationId,
  ]);
  expect(rows).toEqual([]);
  expect(
    (await createTestDevice(db, { ...app, deviceId: device.deviceId })).serviceUserId,
  ).not.toBe(device.serviceUserId);
});
