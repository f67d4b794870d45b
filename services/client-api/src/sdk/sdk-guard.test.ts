import { afterEach, describe, expect, test } from '@jest/globals';
import { createCallerBlocks, createKeyCache, createRates, createWrongKeys } from '@tidings/access';
import type { KeyGrant } from '@tidings/accounts/api-keys';
import { LIMITS, type Rate } from '@tidings/contracts/limits';
import { createInProcessCoordination } from '@tidings/coordination';
import { createApp, finishApp } from '@tidings/http/app';
import { createClientAddressReader } from '@tidings/http/client-address';
import { createLogger, listen, type HttpServer } from '@tidings/platform';
import { openRawConnection } from '@tidings/platform/testing';
import { createFakeClock, eventually } from '@tidings/testing';
import { createSdkGuard, addCorsHeaders, type SdkRate } from './sdk-guard.ts';
import { mountSdkRoute } from './mount-sdk-route.ts';

const APPLICATION = '0199a5c0-0000-7000-8000-00000000000a';
const PAGE = 'https://shop.example';
const CREDENTIALS = { 'X-Application-Id': APPLICATION, 'X-API-Key': 'ck_good' };
const BEACON = { applicationId: APPLICATION, apiKey: 'ck_good', body: { said: 'hello' } };
const OFF: Rate = { perSecond: 0, burst: 1 };

const grant = (overrides: Partial<KeyGrant>): KeyGrant => ({
  keyId: 'k',
  keyName: 'key',
  applicationId: APPLICATION,
  type: 'client',
  allowedOrigins: [],
  allowList: [],
  settings: {},
  ...overrides,
});
const GRANTS: Readonly<Record<string, KeyGrant>> = {
  ck_good: grant({}),
  ck_page: grant({ allowedOrigins: [PAGE] }),
  ck_listed: grant({ allowList: ['10.0.0.0/8'] }),
  sk_server: grant({ type: 'server' }),
};

const running: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

/** An application with one route per kind of call, which echoes its input. */
async function start(
  rates: Partial<Record<SdkRate, Rate>> = {},
  trustedProxies: readonly string[] = [],
) {
  const clock = createFakeClock();
  const logger = createLogger('test', 'silent');
  const limiterOf = createInProcessCoordination({ clock }).rateLimiters({ replicas: 1 });
  const clientAddressOf = createClientAddressReader(trustedProxies);
  const entrance = createSdkGuard({
    keys: createKeyCache({
      findKeyGrant: async (applicationId, key) =>
        applicationId === APPLICATION ? (GRANTS[key] ?? null) : null,
      clock,
    }),
    keyUses: { note: () => undefined },
    wrongKeys: createWrongKeys({ clock, freeMax: Infinity }),
    rates: createRates(limiterOf, {
      sdk: OFF,
      sdkDevice: OFF,
      ingestClientAddress: OFF,
      ingestBytes: OFF,
      ...rates,
    }),
    clientAddressOf,
    callerBlocks: createCallerBlocks(clientAddressOf, logger),
  });
  const app = createApp();
  app.use('/sdk/v1', addCorsHeaders);
  mountSdkRoute(app, { method: 'GET', path: '/sdk/v1/read' }, [
    entrance.authorize,
    (_req, res) => void res.json({}),
  ]);
  mountSdkRoute(app, { method: 'POST', path: '/sdk/v1/say' }, [
    entrance.authorizeWithBody,
    async (req, res) => {
      if (typeof req.body === 'object' && req.body !== null && 'deviceId' in req.body)
        await entrance.countDevice(res, String(req.body.deviceId));
      res.json({ heard: req.body });
    },
  ]);
  finishApp(app, logger);
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  running.push(server);
  const call = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${server.url}/sdk/v1/${path}`, init);
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: (text === '' ? {} : JSON.parse(text)) as {
        readonly code?: string;
        readonly heard?: unknown;
      },
    };
  };
  const post = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    call('say', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { call, post, clock, port: server.port };
}

describe('a preflight', () => {
  test.each(['read', 'say'])('to %s allows any page, with the permitted headers', async (path) => {
    const { call } = await start();

    const { status, headers } = await call(path, {
      method: 'OPTIONS',
      headers: { Origin: 'https://anywhere.example' },
    });

    expect([
      status,
      headers.get('Access-Control-Allow-Origin'),
      headers.get('Access-Control-Allow-Methods'),
    ]).toEqual([204, '*', path === 'read' ? 'GET' : 'POST']);
    expect(headers.get('Access-Control-Allow-Headers')).toBe(
      'Content-Type, X-Application-Id, X-API-Key, Last-Event-ID',
    );
    expect(headers.get('Access-Control-Allow-Credentials')).toBeNull();
  });
});

describe('pages can read every response', () => {
  test.each<[string, number, string, RequestInit]>([
    ['a call', 200, 'read', { headers: CREDENTIALS }],
    ['a wrong key', 403, 'read', { headers: { ...CREDENTIALS, 'X-API-Key': 'ck_wrong' } }],
    ['another method', 405, 'read', { method: 'PUT' }],
    ['another address', 404, 'nowhere', {}],
  ])('%s: %i', async (_what, status, path, { headers, ...init }) => {
    const { call } = await start();

    const answer = await call(path, {
      ...init,
      headers: { ...(headers as Record<string, string>), Origin: PAGE },
    });

    expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([
      status,
      '*',
    ]);
    expect(answer.headers.get('Access-Control-Expose-Headers')).toContain('RateLimit-Remaining');
  });
});

describe('a Client key', () => {
  test('is required: a Server key is rejected with its own error', async () => {
    const { call } = await start();

    const { status, body } = await call('read', {
      headers: { ...CREDENTIALS, 'X-API-Key': 'sk_server' },
    });

    expect([status, body]).toEqual([
      403,
      expect.objectContaining({
        code: 'forbidden',
        detail: 'This endpoint requires a Client key. A Server key is for servers only.',
      }),
    ]);
  });

  test('works for pages of its origins, and for clients that are not browsers', async () => {
    const { call } = await start();
    const codeOf = async (origin?: string) =>
      (
        await call('read', {
          headers: {
            ...CREDENTIALS,
            'X-API-Key': 'ck_page',
            ...(origin !== undefined && { Origin: origin }),
          },
        })
      ).body.code;

    expect([await codeOf(PAGE), await codeOf('https://evil.example'), await codeOf()]).toEqual([
      undefined,
      'client_key_forbidden',
      undefined,
    ]);
  });

  test('works from addresses of the allow-list', async () => {
    const { call } = await start();

    expect(
      (await call('read', { headers: { ...CREDENTIALS, 'X-API-Key': 'ck_listed' } })).body.code,
    ).toBe('ip_not_allowed');
  });

  test('all wrong credentials, in headers or body, get the same error', async () => {
    const { call, post } = await start();
    const answers = [
      await call('read'),
      await call('read', { headers: { ...CREDENTIALS, 'X-API-Key': 'x'.repeat(10_000) } }),
      await call('read', { headers: { ...CREDENTIALS, 'X-Application-Id': 'x' } }),
      await call('read', { headers: { 'X-API-Key': 'ck_good' } }),
      await post({}),
      await post('{', { 'X-API-Key': 'ck_good' }),
      await post({ ...BEACON, apiKey: 'ck_wrong' }),
      await post({ ...BEACON, apiKey: ['ck_good'] }),
      await post({ ...BEACON, applicationId: { toString: 1 } }),
      await post({ ...BEACON, pad: 'x'.repeat(LIMITS.sdkBodyBytesMax) }),
      await post(BEACON, { 'Content-Type': 'text/html' }),
      await post('{"applicationId":', { 'Content-Type': 'text/plain' }),
      await post('null', { 'Content-Type': 'text/plain' }),
      await post('[]', { 'Content-Type': 'text/plain' }),
      await post('', { 'Content-Type': 'text/plain' }),
    ];

    const told = answers.map(({ status, headers, body }) => {
      const { requestId: _requestId, ...rest } = body as Record<string, unknown>;
      return {
        status,
        rest,
        names: [...headers.keys()].filter((name) => name !== 'x-request-id').join(),
      };
    });
    expect(told[0]?.rest).toMatchObject({
      code: 'forbidden',
      detail: 'Check X-Application-Id and X-API-Key.',
    });
    expect(new Set(told.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });
});

describe('a beacon', () => {
  test.each(['text/plain', 'text/plain;charset=UTF-8', 'application/json'])(
    'as %s has its key in its body',
    async (type) => {
      const { post } = await start();

      expect((await post(BEACON, { 'Content-Type': type })).body).toEqual({
        heard: { said: 'hello' },
      });
    },
  );

  test('is limited to the origins of its key, like any call', async () => {
    const { post } = await start();

    const { status, body } = await post(
      { ...BEACON, apiKey: 'ck_page' },
      { 'Content-Type': 'text/plain', Origin: 'https://evil.example' },
    );

    expect([status, body.code]).toEqual([403, 'client_key_forbidden']);
  });

  test('is ignored when a header names an application: the body is taken as is', async () => {
    const { post } = await start();

    expect((await post(BEACON, CREDENTIALS)).body).toEqual({ heard: BEACON });
  });
});

test.each<[number, string, string, Readonly<Record<string, string>>]>([
  [400, 'invalid_json', '{', {}],
  [400, 'invalid_json', '', {}],
  [413, 'payload_too_large', `"${'x'.repeat(LIMITS.sdkBodyBytesMax)}"`, {}],
  [415, 'unsupported_media_type', '{}', { 'Content-Type': 'text/plain' }],
  [415, 'unsupported_media_type', '{}', { 'Content-Encoding': 'zstd' }],
])(
  'a body that cannot be read is %i %s once the key is known',
  async (status, code, body, headers) => {
    const { post } = await start();

    const answer = await post(body, { ...CREDENTIALS, ...headers });

    expect([answer.status, answer.body.code]).toEqual([status, code]);
  },
);

describe('the rate', () => {
  const toldBy = (headers: Headers) =>
    ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'].map((name) => headers.get(name));

  test('of the application is in every authenticated response, and enforced', async () => {
    const { call, post, clock } = await start({ sdk: { perSecond: 1, burst: 2 } });

    const first = await post('{', CREDENTIALS);
    const second = await call('read', { headers: CREDENTIALS });
    const third = await call('read', { headers: CREDENTIALS });

    expect([first.status, ...toldBy(first.headers)]).toEqual([400, '2', '1', '1']);
    expect([second.status, ...toldBy(second.headers)]).toEqual([200, '2', '0', '2']);
    expect([
      third.status,
      third.body.code,
      ...toldBy(third.headers),
      third.headers.get('Retry-After'),
    ]).toEqual([429, 'rate_limited', '2', '0', '2', '1']);
    clock.advance(1_000);
    expect((await call('read', { headers: CREDENTIALS })).status).toBe(200);
  });

  test('of a device stops only that device, and is in its error response', async () => {
    const { post } = await start({
      sdk: { perSecond: 1, burst: 4 },
      sdkDevice: { perSecond: 1, burst: 2 },
    });
    const say = (deviceId: string) => post({ deviceId }, CREDENTIALS);

    expect([(await say('a')).status, (await say('a')).status]).toEqual([200, 200]);
    const refused = await say('a');
    // Rejected requests of the device do not count for the application.
    for (let call = 0; call < 10; call += 1) expect((await say('a')).status).toBe(429);
    const other = await say('b');

    expect([
      refused.status,
      refused.body.code,
      ...toldBy(refused.headers),
      refused.headers.get('Retry-After'),
    ]).toEqual([429, 'rate_limited', '2', '0', '2', '1']);
    // The application has less left than the device: this is the third of four requests.
    expect([other.status, ...toldBy(other.headers)]).toEqual([200, '4', '1', '3']);
  });

  test('of a device is in the response when it is closer to exhaustion than the application’s', async () => {
    const { post } = await start({
      sdk: { perSecond: 1, burst: 100 },
      sdkDevice: { perSecond: 1, burst: 2 },
    });

    expect(toldBy((await post({ deviceId: 'a' }, CREDENTIALS)).headers)).toEqual(['2', '1', '1']);
  });

  test('of a network address stops only that address', async () => {
    const { call } = await start(
      { sdk: { perSecond: 1, burst: 4 }, ingestClientAddress: { perSecond: 1, burst: 2 } },
      ['127.0.0.1'],
    );
    const from = async (address: string) =>
      (await call('read', { headers: { ...CREDENTIALS, 'X-Forwarded-For': address } })).status;

    const first = [];
    for (let calls = 0; calls < 10; calls += 1) first.push(await from('203.0.113.7'));

    expect(first).toEqual([200, 200, ...Array<number>(8).fill(429)]);
    expect([
      await from('203.0.113.8'),
      await from('192.168.1.1'),
      await from('203.0.113.9'),
    ]).toEqual([200, 200, 429]);
  });

  test('in bytes counts bodies, including beacons', async () => {
    const KIB = 1024;
    const { post } = await start({ ingestBytes: { perSecond: 1, burst: 10 * KIB } });
    const beacon = (bytes: number) =>
      JSON.stringify({
        ...BEACON,
        body: 'x'.repeat(bytes - JSON.stringify({ ...BEACON, body: '' }).length),
      });
    const say = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));

    expect(toldBy((await post(say(4 * KIB), CREDENTIALS)).headers).slice(0, 2)).toEqual([
      String(10 * KIB),
      String(6 * KIB),
    ]);
    expect(
      toldBy((await post(beacon(4 * KIB), { 'Content-Type': 'text/plain' })).headers).slice(0, 2),
    ).toEqual([String(10 * KIB), String(2 * KIB)]);
    expect([
      (await post(say(4 * KIB), CREDENTIALS)).status,
      (await post(say(KIB), CREDENTIALS)).status,
    ]).toEqual([200, 429]);
  });

  test.each(['GET /sdk/v1/read', 'POST /sdk/v1/say'])(
    'in bytes is refunded what a call of %s declares and never sends',
    async (line) => {
      const { call, port } = await start({ ingestBytes: { perSecond: 1, burst: 100_000 } });
      const head = [
        `${line} HTTP/1.1`,
        'Host: a',
        ...Object.entries(CREDENTIALS).map(([name, value]) => `${name}: ${value}`),
        'Content-Type: application/json',
        'Content-Length: 60000',
        '',
        '',
      ].join('\r\n');
      const left = async () =>
        Number(toldBy((await call('read', { headers: CREDENTIALS })).headers)[1]);

      for (let request = 0; request < 5; request += 1) {
        const connection = await openRawConnection(port, head);
        await eventually(async () => expect(await left()).toBeLessThan(100_000));
        await connection[Symbol.asyncDispose]();
        await eventually(async () => expect(await left()).toBe(100_000));
      }
    },
  );
});
