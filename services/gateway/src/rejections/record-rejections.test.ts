import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { BusRejectedError } from '@tidings/bus';
import { createAdmission } from '@tidings/http/admission';
import { eventually } from '@tidings/testing';
import {
  APPLICATION_ID,
  CLIENT_HEADERS,
  SERVER_HEADERS,
  batchWith,
  grantWith,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from '../testing/test-gateway.ts';

let gateway: TestGateway;
let before = 0;
beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(() => {
  before = gateway.rejections.length;
});
afterAll(() => gateway[Symbol.asyncDispose]());

test.each<[string, unknown, { headers?: Record<string, string>; path?: string }, object]>([
  [
    'a batch that is not valid',
    batchWith({ time: 'secret' }),
    {},
    {
      status: 400,
      code: 'validation_failed',
      path: '/',
      errors: [
        {
          pointer: '/messages/0/time',
          code: 'wrong_type',
          expected: 'integer',
          index: 0,
          messageId: 'm1',
        },
      ],
    },
  ],
  [
    'a body that is no JSON',
    '{secret',
    { path: '/v1/' },
    { status: 400, code: 'invalid_json', path: '/v1/', errors: [] },
  ],
  [
    'a body that is too large',
    ' '.repeat(1024 * 1024 + 1),
    {},
    { status: 413, code: 'payload_too_large', errors: [] },
  ],
  [
    'a Client key with a business event',
    batchWith({ type: 'businessEvent' }),
    { headers: CLIENT_HEADERS },
    { status: 403, code: 'client_key_forbidden', address: null },
  ],
  [
    'a Client key that pushes',
    {},
    { headers: CLIENT_HEADERS, path: '/push' },
    { status: 403, code: 'client_key_forbidden', path: '/push' },
  ],
  [
    'a push that is not valid',
    {},
    { path: '/v1/push' },
    { status: 400, code: 'validation_failed', path: '/v1/push' },
  ],
])('%s is listed with its faults, without its values', async (_what, body, options, expected) => {
  const { headers } = await gateway.post(body, options);

  const [entry, ...more] = gateway.rejections.slice(before);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({
    requestId: headers.get('X-Request-Id'),
    applicationId: APPLICATION_ID,
    receivedAt: gateway.clock.now(),
    ...expected,
  });
  expect(JSON.stringify(entry)).not.toContain('secret');
});

const TOO_LARGE = { append: () => Promise.reject(new BusRejectedError('the record is too large')) };

test.each<
  [
    string,
    unknown,
    { headers?: Record<string, string>; path?: string },
    TestGatewayOptions,
    { status: number; customUserId: string | null; serviceUserId?: string },
  ]
>([
  [
    'a batch that is not valid',
    batchWith({ time: 'x' }),
    {},
    {},
    { status: 400, customUserId: 'u1' },
  ],
  [
    'a batch without messages',
    { customUserId: 'u1', messages: [] },
    {},
    {},
    { status: 400, customUserId: 'u1' },
  ],
  [
    'a batch of an anonymous user',
    batchWith({ time: 'x' }, { customUserId: null, serviceUserId: APPLICATION_ID }),
    {},
    {},
    { status: 400, customUserId: null, serviceUserId: APPLICATION_ID },
  ],
  [
    'a Client key with a business event',
    batchWith({ type: 'businessEvent' }),
    { headers: CLIENT_HEADERS },
    {},
    { status: 403, customUserId: 'u1' },
  ],
  [
    'a batch that is larger than a record',
    batchWith(),
    {},
    TOO_LARGE,
    { status: 413, customUserId: 'u1' },
  ],
  [
    'what was rejected of a batch',
    { customUserId: 'u1', messages: [{}, ...batchWith().messages] },
    { headers: { ...SERVER_HEADERS, Prefer: 'handling=lenient' } },
    {},
    { status: 200, customUserId: 'u1' },
  ],
  [
    'an impossible id',
    batchWith({}, { customUserId: 'u'.repeat(257) }),
    {},
    {},
    { status: 400, customUserId: null },
  ],
  [
    'a body that is no JSON',
    '{"customUserId":"u1","messages":[',
    {},
    {},
    { status: 400, customUserId: null },
  ],
  [
    'a body that is too large',
    JSON.stringify(batchWith()).padEnd(1024 * 1024 + 1),
    {},
    {},
    { status: 413, customUserId: null },
  ],
  [
    'a push',
    { customUserId: 'u1', recipients: ['u1'] },
    { path: '/push' },
    {},
    { status: 400, customUserId: null },
  ],
])(
  '%s is listed with its user, where its envelope was read and names one',
  async (_what, body, options, gatewayOptions, { serviceUserId = null, ...expected }) => {
    await using own = await startTestGateway(gatewayOptions);

    await own.post(body, options);

    expect(own.rejections).toMatchObject([{ ...expected, serviceUserId }]);
  },
);

test.each<[string, unknown, { headers?: Record<string, string>; path?: string }, number]>([
  ['an accepted batch', batchWith(), {}, 200],
  ['a wrong key', batchWith(), { headers: { ...SERVER_HEADERS, 'X-API-Key': 'wrong' } }, 403],
  [
    'a type that is not read',
    batchWith(),
    { headers: { ...SERVER_HEADERS, 'Content-Type': 'text/plain' } },
    415,
  ],
  ['an address where nothing is', batchWith(), { path: '/nothing' }, 404],
])('%s is not listed', async (_what, body, options, status) => {
  expect((await gateway.post(body, options)).status).toBe(status);

  expect(gateway.rejections).toHaveLength(before);
});

test('a request above its rate is listed', async () => {
  await using own = await startTestGateway({ rates: { ingest: { perSecond: 0.001, burst: 1 } } });

  await own.post(batchWith());
  await own.post(batchWith());

  expect(own.rejections).toMatchObject([{ status: 429, code: 'rate_limited' }]);
});

test('an address that is not allowed is listed and named', async () => {
  await using own = await startTestGateway({
    findKeyGrant: async () => grantWith(APPLICATION_ID, 'server', { allowList: ['192.0.2.1'] }),
  });

  await own.post(batchWith());

  expect(own.rejections).toMatchObject([
    { status: 403, code: 'ip_not_allowed', address: '127.0.0.1' },
  ]);
});

test('a caller who disconnects within the body was not rejected', async () => {
  await using narrow = await startTestGateway({
    admissions: {
      ingest: createAdmission({ path: 'ingest', bytesMax: 1024 * 1024, requestsMax: 1 }),
    },
  });
  const call = request(narrow.url, {
    method: 'POST',
    headers: { ...SERVER_HEADERS, 'Content-Length': '100' },
  });
  call.on('error', () => undefined);
  call.write('{');
  await eventually(async () => expect((await narrow.post('{')).status).toBe(503));

  call.destroy();
  await eventually(async () => expect((await narrow.post('{')).status).toBe(400));

  expect(narrow.rejections).toHaveLength(1);
});
