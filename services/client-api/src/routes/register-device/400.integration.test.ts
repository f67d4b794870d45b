import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import {
  callSdk,
  createSdkApplication,
  type SdkApplication,
} from '../../testing/sdk-application.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
let app: SdkApplication;
beforeAll(async () => {
  app = await createSdkApplication(api.db);
});
/** Checked at the end: nothing of these requests may be stored. */
afterAll(async () => {
  const { rows } = await api.db.sql.query(
    'select device_id from devices where application_id = $1',
    [app.applicationId],
  );
  await api[Symbol.asyncDispose]();
  if (rows.length > 0) throw new Error(`${rows.length} refused devices were kept`);
});

const GOOD = { deviceId: systemIds.uuid(), kind: 'none' };
const ENDPOINT = 'https://a.push.example/1';
const KEYS = { p256dh: 'B'.repeat(87), auth: 'a'.repeat(22) };
const push = (subscription: unknown) => ({ ...GOOD, kind: 'web_push', subscription });
const endpointOf = (endpoint: unknown) => push({ endpoint, keys: KEYS });
const post = (body: unknown) =>
  callSdk(api, 'devices', { method: 'POST', headers: app.headers, body });

describe('invalid fields are named', () => {
  test.each<[string, unknown, string, string]>([
    ['no object', [], '', 'wrong_type'],
    ['nothing', null, '', 'wrong_type'],
    ['text', '"x"', '', 'wrong_type'],
    ['no device', { kind: 'none' }, '/deviceId', 'required'],
    ['no kind', { deviceId: 'd' }, '/kind', 'required'],
    ['a device of another type', { ...GOOD, deviceId: 5 }, '/deviceId', 'wrong_type'],
    ['a device that is null', { ...GOOD, deviceId: null }, '/deviceId', 'wrong_type'],
    ['an empty device', { ...GOOD, deviceId: '' }, '/deviceId', 'empty'],
    ['a device that is too long', { ...GOOD, deviceId: 'x'.repeat(129) }, '/deviceId', 'too_long'],
    ['a device with U+0000', { ...GOOD, deviceId: 'a\0b' }, '/deviceId', 'invalid_value'],
    [
      'a device with half a character',
      '{"deviceId":"a\\ud800","kind":"none"}',
      '/deviceId',
      'invalid_value',
    ],
    ['another kind', { ...GOOD, kind: 'apns' }, '/kind', 'invalid_value'],
    [
      'a time zone that is none',
      { ...GOOD, timeZone: 'Mars/Olympus' },
      '/timeZone',
      'invalid_value',
    ],
    [
      'a time zone with U+0000',
      { ...GOOD, timeZone: 'Europe/Berlin\0' },
      '/timeZone',
      'invalid_value',
    ],
    ['a time zone of another type', { ...GOOD, timeZone: 1 }, '/timeZone', 'wrong_type'],
    ['a language that is none', { ...GOOD, locale: 'de_DE; drop' }, '/locale', 'invalid_value'],
    [
      'a token that is too long',
      { ...GOOD, userToken: 'x'.repeat(4_097) },
      '/userToken',
      'too_long',
    ],
    [
      'a user that is too long',
      { ...GOOD, customUserId: 'x'.repeat(257) },
      '/customUserId',
      'too_long',
    ],
    ['a user that is empty', { ...GOOD, customUserId: '' }, '/customUserId', 'empty'],
    [
      'a user with half a character',
      '{"deviceId":"d","kind":"none","customUserId":"\\udc00"}',
      '/customUserId',
      'invalid_value',
    ],
    ['no token of Firebase', { ...GOOD, kind: 'fcm' }, '/token', 'required'],
    [
      'a token of Firebase with a space',
      { ...GOOD, kind: 'fcm', token: 'a b' },
      '/token',
      'invalid_value',
    ],
    [
      'a token of Firebase that is too long',
      { ...GOOD, kind: 'fcm', token: 'x'.repeat(4_097) },
      '/token',
      'too_long',
    ],
    [
      'a token for a browser',
      { ...push({ endpoint: ENDPOINT, keys: KEYS }), token: 'x' },
      '/token',
      'unsupported_type',
    ],
    [
      'a subscription of nothing',
      { ...GOOD, subscription: { endpoint: ENDPOINT, keys: KEYS } },
      '/subscription',
      'unsupported_type',
    ],
    ['no subscription', push(undefined), '/subscription', 'required'],
    ['a subscription of another type', push('x'), '/subscription', 'wrong_type'],
    ['an empty subscription', push({}), '/subscription', 'invalid_value'],
    ['a subscription without keys', push({ endpoint: ENDPOINT }), '/subscription', 'invalid_value'],
    [
      'a subscription with a short key',
      push({ endpoint: ENDPOINT, keys: { ...KEYS, p256dh: 'B' } }),
      '/subscription',
      'invalid_value',
    ],
    ['an endpoint of another type', endpointOf({}), '/subscription', 'invalid_value'],
    ['an endpoint with U+0000', endpointOf(`${ENDPOINT}\0`), '/subscription', 'invalid_value'],
    [
      'an endpoint that is too long',
      endpointOf(`${ENDPOINT}${'x'.repeat(2_048)}`),
      '/subscription',
      'invalid_value',
    ],
    [
      'an endpoint elsewhere',
      endpointOf('https://evil.example/1'),
      '/subscription/endpoint',
      'invalid_value',
    ],
    [
      'an endpoint inside',
      endpointOf('https://169.254.169.254/latest'),
      '/subscription/endpoint',
      'invalid_value',
    ],
    [
      'an endpoint that only begins right',
      endpointOf('https://a.push.example.evil.example/1'),
      '/subscription/endpoint',
      'invalid_value',
    ],
    [
      'an endpoint with a user',
      endpointOf('https://a.push.example@evil.example/1'),
      '/subscription/endpoint',
      'invalid_value',
    ],
    [
      'an endpoint without TLS',
      endpointOf('http://a.push.example/1'),
      '/subscription/endpoint',
      'invalid_value',
    ],
    [
      'an endpoint at another port',
      endpointOf('https://a.push.example:8443/1'),
      '/subscription/endpoint',
      'invalid_value',
    ],
  ])('%s', async (_what, body, pointer, code) => {
    const { status, problem } = await post(body);

    expect([status, problem.code]).toEqual([400, 'validation_failed']);
    expect(problem.errors).toContainEqual(expect.objectContaining({ pointer, code }));
  });

  test('all at once', async () => {
    const { problem } = await post({ kind: 'x', timeZone: 5, locale: 5 });

    expect(problem.errors?.map(({ pointer }) => pointer).toSorted()).toEqual([
      '/deviceId',
      '/kind',
      '/locale',
      '/timeZone',
    ]);
  });
});

test.each([
  ['that is no JSON', '{'],
  ['that is empty', ''],
  ['that is no UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
])('a body %s is 400', async (_what, body) => {
  const { status, problem } = await post(body);

  expect([status, problem.code]).toEqual([400, 'invalid_json']);
});

test('a body of 64 KiB is accepted, one byte more gets 413', async () => {
  const bodyOf = (bytes: number) => {
    const around = '{"deviceId":"","kind":"none","more":""}';
    return around.replace('"more":"', `"more":"${'x'.repeat(bytes - around.length)}`);
  };

  expect((await post(bodyOf(65_536))).status).toBe(400);
  expect((await post(bodyOf(65_537))).status).toBe(413);
});

test('a deeply nested body is rejected like any other invalid one', async () => {
  const { status } = await post(
    `{"deviceId":${'['.repeat(30_000)}${']'.repeat(30_000)},"kind":"none"}`,
  );

  expect(status).toBe(400);
});

test('unknown fields are ignored, with any value', async () => {
  const deviceId = '__proto__';
  const { status } = await post(
    `{"deviceId":"${deviceId}","kind":"none","__proto__":{"kind":"fcm"},"constructor":1,"more":"a\\u0000b"}`,
  );

  expect(status).toBe(200);
  expect(
    (await callSdk(api, `devices/${deviceId}`, { method: 'DELETE', headers: app.headers })).status,
  ).toBe(204);
});
