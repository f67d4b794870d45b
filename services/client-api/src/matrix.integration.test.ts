import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createApiKey, revokeApiKey } from '@tidings/accounts/api-keys';
import { readDevice } from '@tidings/people/devices/devices';
import { systemIds } from '@tidings/platform';
import { createRoutes } from './server.ts';
import {
  callSdk,
  createSdkApplication,
  createTestDevice,
  type SdkApplication,
} from './testing/sdk-application.ts';
import { startTestClientApi, testDependencies } from './testing/test-client-api.ts';

const CALLERS = ['none', 'client', 'server', 'otherTenant', 'otherApplication', 'revoked'] as const;
type Caller = (typeof CALLERS)[number];

const WRONG = '403 forbidden';
const wrong = {
  none: WRONG,
  server: WRONG,
  otherTenant: WRONG,
  otherApplication: WRONG,
  revoked: WRONG,
} as const;
const open = (answer: string): Record<Caller, string> => ({
  none: answer,
  client: answer,
  server: answer,
  otherTenant: answer,
  otherApplication: answer,
  revoked: answer,
});
const preflight = { answers: open('204') };

type Row = {
  readonly query?: (deviceId: string) => string;
  readonly body?: (deviceId: string) => unknown;
  readonly answers: Record<Caller, string>;
};

/**
 * The expected status of each route for each caller. A route that is missing here fails the first
 * test.
 */
const MATRIX: Readonly<Record<string, Row>> = {
  // Signed by the provider; needs no key.
  'POST /cb/sms/twilio/status': { answers: open(WRONG) },
  'POST /cb/sms/twilio/inbound': { answers: open(WRONG) },
  'POST /cb/sms/vonage/status': { answers: open(WRONG) },
  'POST /cb/sms/vonage/inbound': { answers: open(WRONG) },
  // The sender has its own credentials.
  'POST /cb/email/dsn': { answers: open(WRONG) },
  // Needs a signed token; this one is not signed.
  'GET /t/o/:token': { answers: open('200') },
  'GET /t/c/:token': { answers: open('404 not_found') },
  'GET /u/:token': { answers: open('404 not_found') },
  'POST /u/:token': { answers: open('404 not_found') },
  // Public: pages load them before any call.
  'GET /sdk/v1/sdk.js': { answers: open('200') },
  'GET /sdk/v1/sw.js': { answers: open('200') },
  'GET /sdk/v1/frame.html': { answers: open('200') },
  'GET /sdk/v1/tidings.d.ts': { answers: open('200') },
  'GET /sdk/v1/config': { answers: { ...wrong, client: '200' } },
  'OPTIONS /sdk/v1/config': preflight,
  'POST /sdk/v1/devices': {
    body: (deviceId) => ({ deviceId, kind: 'none' }),
    answers: { ...wrong, client: '200' },
  },
  'OPTIONS /sdk/v1/devices': preflight,
  'DELETE /sdk/v1/devices/:deviceId': { answers: { ...wrong, client: '204' } },
  'OPTIONS /sdk/v1/devices/:deviceId': preflight,
  'POST /sdk/v1/identify': {
    body: (deviceId) => ({ deviceId, customUserId: 'ada' }),
    answers: { ...wrong, client: WRONG },
  },
  'OPTIONS /sdk/v1/identify': preflight,
  'GET /sdk/v1/messages': {
    query: (deviceId) => `deviceId=${deviceId}&wait=0`,
    answers: { ...wrong, client: '200' },
  },
  'OPTIONS /sdk/v1/messages': preflight,
  // With an unknown device: a stream would not end.
  'GET /sdk/v1/messages/stream': {
    query: () => 'deviceId=unheard-of',
    answers: { ...wrong, client: '404 not_found' },
  },
  'OPTIONS /sdk/v1/messages/stream': preflight,
  'POST /sdk/v1/receipts': {
    body: (deviceId) => ({
      deviceId,
      receipts: [{ deliveryId: systemIds.uuid(), event: 'displayed' }],
    }),
    answers: { ...wrong, client: '200' },
  },
  'OPTIONS /sdk/v1/receipts': preflight,
  'POST /sdk/v1/logout': {
    body: (deviceId) => ({ deviceId }),
    answers: { ...wrong, client: '200' },
  },
  'OPTIONS /sdk/v1/logout': preflight,
};

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

/** Method and path of every route of the router, except the 405 handlers. */
function routesOf(): string[] {
  const { stack } = createRoutes(testDependencies(api.db)).router as unknown as {
    readonly stack: readonly {
      readonly route?: {
        readonly path: string;
        readonly stack: readonly { readonly method?: string }[];
      };
    }[];
  };
  return stack.flatMap(({ route }) => {
    const methods = new Set(
      route?.stack.flatMap(({ method }) => (method === undefined ? [] : [method.toUpperCase()])),
    );
    return [...methods].map((method) => `${method} ${route?.path}`);
  });
}

let own: SdkApplication;
let callers: Record<Caller, Readonly<Record<string, string>>>;
beforeAll(async () => {
  own = await createSdkApplication(api.db);
  const other = await createSdkApplication(api.db);
  const made = await createApiKey(api.db, {
    applicationId: own.applicationId,
    type: 'client',
    name: 'gone',
  });
  if (made === 'too_many') throw new Error('there are keys already');
  await revokeApiKey(api.db, own.applicationId, made.id);
  callers = {
    none: {},
    client: own.headers,
    server: { ...own.headers, 'X-API-Key': own.serverKey },
    otherTenant: { ...own.headers, 'X-API-Key': other.clientKey },
    otherApplication: { ...own.headers, 'X-Application-Id': other.applicationId },
    revoked: { ...own.headers, 'X-API-Key': made.key },
  };
});

test('every route of the service is in the matrix, and no other', () => {
  expect(routesOf().toSorted()).toEqual(Object.keys(MATRIX).toSorted());
});

describe('who may call which route', () => {
  test.each(
    Object.entries(MATRIX).flatMap(([route, { query, body, answers }]) =>
      CALLERS.map((caller) => ({ route, caller, answer: answers[caller], query, body })),
    ),
  )('$route by $caller is $answer', async ({ route, caller, answer, query, body }) => {
    const [method = '', path = ''] = route.split(' ');
    const device = await createTestDevice(api.db, own);

    const response = await fetch(
      `${api.url}${path.replace(':deviceId', device.deviceId)}${query === undefined ? '' : `?${query(device.deviceId)}`}`,
      {
        method,
        headers: { ...callers[caller], ...(body && { 'Content-Type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body(device.deviceId)) }),
      },
    );

    const text = await response.text();
    const { code } = (
      /json/.test(response.headers.get('Content-Type') ?? '') ? JSON.parse(text) : {}
    ) as { readonly code?: string };
    expect([response.status, ...(code === undefined ? [] : [code])].join(' ')).toBe(answer);
    const after = await readDevice(api.db.sql, device);
    expect(answer === WRONG ? after : device).toEqual(device);
  });
});

describe('with the key of one application', () => {
  test.each<[string, string, (deviceId: string) => unknown]>([
    ['DELETE', 'devices/:deviceId', () => undefined],
    ['POST', 'logout', (deviceId) => ({ deviceId })],
    ['GET', 'messages?deviceId=:deviceId', () => undefined],
    ['GET', 'messages/stream?deviceId=:deviceId', () => undefined],
    [
      'POST',
      'receipts',
      (deviceId) => ({
        deviceId,
        receipts: [{ deliveryId: systemIds.uuid(), event: 'displayed' }],
      }),
    ],
  ])(
    '%s %s for a device of another application finds and changes nothing',
    async (method, path, bodyOf) => {
      const other = await createSdkApplication(api.db);
      const device = await createTestDevice(api.db, {
        applicationId: other.applicationId,
        customUserId: 'ada',
      });

      const { status } = await callSdk(api, path.replace(':deviceId', device.deviceId), {
        method,
        headers: own.headers,
        body: bodyOf(device.deviceId),
      });

      expect(status).toBe(404);
      expect(await readDevice(api.db.sql, device)).toEqual(device);
    },
  );

  test('the same device id and address in two applications are two devices', async () => {
    const other = await createSdkApplication(api.db);
    const deviceId = systemIds.uuid();
    const body = { deviceId, kind: 'fcm', token: `token-${deviceId}` };

    const answers = [
      await callSdk(api, 'devices', { method: 'POST', headers: own.headers, body }),
      await callSdk(api, 'devices', { method: 'POST', headers: other.headers, body }),
    ];

    const [first, second] = await Promise.all(
      [own, other].map(({ applicationId }) => readDevice(api.db.sql, { applicationId, deviceId })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect([first?.address, second?.address]).toEqual([body.token, body.token]);
    expect(first?.serviceUserId).not.toBe(second?.serviceUserId);
  });
});
