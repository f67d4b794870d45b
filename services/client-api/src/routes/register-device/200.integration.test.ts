import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rotateUserTokenSecret } from '@tidings/accounts/user-token-secrets';
import { readDevice } from '@tidings/people/devices/devices';
import { updateApplication } from '@tidings/people/update-application';
import { systemIds } from '@tidings/platform';
import { testSecretBox } from '@tidings/testing';
import { createWebhookEndpoint } from '@tidings/webhook-queue/endpoints';
import {
  callSdk,
  createSdkApplication,
  createTestDevice,
  type SdkApplication,
} from '../../testing/sdk-application.ts';
import { tokenOf } from '../../testing/sign-token.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
const { db } = api;
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

let app: SdkApplication;
let secret: string;
beforeAll(async () => {
  app = await createSdkApplication(db);
  secret = (await rotateUserTokenSecret(db, testSecretBox, app.applicationId))?.secret ?? '';
});

const UUID = /^[0-9a-f-]{36}$/;
const subscription = (name = systemIds.uuid()) => ({
  endpoint: `https://a.push.example/${name}`,
  expirationTime: null,
  keys: { p256dh: 'B'.repeat(87), auth: 'a'.repeat(22) },
});

async function register(
  body: Readonly<Record<string, unknown>>,
  { headers }: Pick<SdkApplication, 'headers'> = app,
): Promise<string> {
  const answer = await callSdk(api, 'devices', { method: 'POST', headers, body });
  expect([answer.status, answer.body]).toEqual([
    200,
    { serviceUserId: expect.stringMatching(UUID), isProved: expect.any(Boolean) },
  ]);
  return (answer.body as { readonly serviceUserId: string }).serviceUserId;
}
const read = (deviceId: string, { applicationId }: Pick<SdkApplication, 'applicationId'> = app) =>
  readDevice(db.sql, { applicationId, deviceId });

describe('a new device', () => {
  test('gets an anonymous user, and its id', async () => {
    const deviceId = systemIds.uuid();

    const serviceUserId = await register({
      deviceId,
      kind: 'none',
      timeZone: 'Europe/Berlin',
      locale: 'de-DE',
      unheardOf: 1,
    });

    expect(await read(deviceId)).toEqual(
      expect.objectContaining({
        serviceUserId,
        customUserId: null,
        kind: 'none',
        address: null,
        timeZone: 'Europe/Berlin',
        locale: 'de-DE',
      }),
    );
  });

  test('keeps id, user and omitted fields when registered again', async () => {
    const deviceId = systemIds.uuid();
    const first = await register({
      deviceId,
      kind: 'none',
      timeZone: 'Europe/Berlin',
      locale: 'de-DE',
    });
    const before = await read(deviceId);

    expect(
      await register({
        deviceId,
        kind: 'web_push',
        subscription: subscription('again'),
        locale: null,
      }),
    ).toBe(first);

    expect(await read(deviceId)).toMatchObject({
      userId: before?.userId,
      kind: 'web_push',
      timeZone: 'Europe/Berlin',
      locale: null,
    });
  });

  test('is one device when registered concurrently', async () => {
    const deviceId = systemIds.uuid();

    const ids = await Promise.all(
      Array.from({ length: 10 }, () => register({ deviceId, kind: 'none' })),
    );

    expect(new Set(ids).size).toBe(1);
  });

  test('with a user token belongs to that user', async () => {
    const deviceId = systemIds.uuid();

    await register({ deviceId, kind: 'none', userToken: tokenOf(secret, 'bob') });

    expect(await read(deviceId)).toMatchObject({ customUserId: 'bob' });
  });

  test('needs no token if the application allows it', async () => {
    const open = await createSdkApplication(db);
    await updateApplication(db, open.applicationId, { settings: { userTokens: 'optional' } });
    const deviceId = systemIds.uuid();

    await register({ deviceId, kind: 'none', customUserId: 'bob' }, open);

    expect(await read(deviceId, open)).toMatchObject({ customUserId: 'bob' });
  });

  test('registers by a beacon', async () => {
    const deviceId = systemIds.uuid();
    const beacon = {
      applicationId: app.applicationId,
      apiKey: app.clientKey,
      body: { deviceId, kind: 'none' },
    };

    const { status } = await callSdk(api, 'devices', {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain;charset=UTF-8' },
      body: JSON.stringify(beacon),
    });

    expect(status).toBe(200);
    expect(await read(deviceId)).not.toBeNull();
  });
});

describe('the address of a device', () => {
  test('is the subscription without other fields', async () => {
    const deviceId = systemIds.uuid();
    const { endpoint, keys } = subscription();

    await register({
      deviceId,
      kind: 'web_push',
      subscription: { endpoint, keys: { ...keys, more: 1 }, expirationTime: 5 },
    });

    expect(JSON.parse((await read(deviceId))?.address ?? '')).toEqual({ endpoint, keys });
  });

  test('moves to the device that registered it last', async () => {
    const [first, second] = [systemIds.uuid(), systemIds.uuid()];
    const token = `token-${first}`;
    await register({ deviceId: first, kind: 'fcm', token });

    await register({ deviceId: second, kind: 'fcm', token });

    expect([(await read(first))?.address, (await read(second))?.address]).toEqual([null, token]);
  });

  test('belongs to one device after concurrent registrations', async () => {
    const devices = Array.from({ length: 6 }, () => systemIds.uuid());
    const token = `token-${devices[0]}`;

    await Promise.all(devices.map((deviceId) => register({ deviceId, kind: 'fcm', token })));

    const addresses = await Promise.all(
      devices.map(async (deviceId) => (await read(deviceId))?.address),
    );
    expect(addresses.filter((address) => address === token)).toHaveLength(1);
    expect(addresses.filter((address) => address === null)).toHaveLength(5);
  });

  test('is removed when the device registers with kind none', async () => {
    const deviceId = systemIds.uuid();
    await register({ deviceId, kind: 'fcm', token: `token-${deviceId}` });

    await register({ deviceId, kind: 'none' });

    expect(await read(deviceId)).toMatchObject({ kind: 'none', address: null });
  });
});

test('webhook endpoints get each subscription change once', async () => {
  const own = await createSdkApplication(db);
  await createWebhookEndpoint(db, testSecretBox, {
    applicationId: own.applicationId,
    url: 'https://hooks.example/',
    description: '',
    kinds: ['subscription.created', 'subscription.removed'],
    channels: [],
  });
  const [first, second] = [
    await createTestDevice(db, { ...own, customUserId: 'ada' }),
    await createTestDevice(db, own),
  ];
  const [one, other] = [subscription(), subscription()];

  for (const given of [one, one, other])
    await register({ deviceId: first.deviceId, kind: 'web_push', subscription: given }, own);
  await register({ deviceId: second.deviceId, kind: 'web_push', subscription: other }, own);
  await callSdk(api, `devices/${second.deviceId}`, { method: 'DELETE', headers: own.headers });

  const { rows } = await db.sql.query<{ type: string; data: object }>(
    'select type, data from webhook_deliveries where application_id = $1 order by id',
    [own.applicationId],
  );
  const of = ({ customUserId, serviceUserId }: typeof first, status: string) => ({
    channel: 'WEB_PUSH',
    customUserId,
    serviceUserId,
    status,
  });
  expect(rows).toEqual([
    { type: 'subscription.created', data: of(first, 'subscribed') },
    { type: 'subscription.removed', data: of(first, 'removed') },
    { type: 'subscription.created', data: of(first, 'subscribed') },
    { type: 'subscription.created', data: of(second, 'subscribed') },
    { type: 'subscription.removed', data: of(first, 'removed') },
    { type: 'subscription.removed', data: of(second, 'removed') },
  ]);
});
