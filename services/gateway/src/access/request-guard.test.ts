import { afterEach, describe, expect, test } from '@jest/globals';
import { metricsRegistry } from '@tidings/platform';
import { openRawConnection } from '@tidings/platform/testing';
import {
  SERVER_HEADERS,
  batchWith,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from '../testing/test-gateway.ts';

const running: TestGateway[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((gateway) => gateway[Symbol.asyncDispose]()));
});

async function start(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(options);
  running.push(gateway);
  return gateway;
}

const BODY = JSON.stringify(batchWith());
const requestText = (body: string, headers: readonly string[] = []): string =>
  [
    'POST / HTTP/1.1',
    'Host: a',
    ...Object.entries(SERVER_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    '',
    body,
  ].join('\r\n');

/** Responses of this route and status, by the metric. */
async function counted(route: string, status: number): Promise<number> {
  const { values = [] } =
    (await metricsRegistry.getSingleMetric('tidings_gateway_requests_total')?.get()) ?? {};
  return (
    values.find(({ labels }) => labels['route'] === route && labels['status'] === status)?.value ??
    0
  );
}

describe('every spelling of an address has the same endpoint', () => {
  const INGEST = ['/', '/v1', '/v1/', '/?a=1', '/v1?a=1', '/v1/?a=1'];
  const PUSH = ['/push', '/push/', '/v1/push', '/v1/push/', '/push?a=1', '/v1/push/?a=1'];

  test.each([
    { route: 'ingest', paths: INGEST },
    { route: 'push', paths: PUSH },
  ])('$route: the key is looked at, and each request is counted once', async ({ route, paths }) => {
    const burst = paths.length;
    const gateway = await start({
      rates: { ingest: { perSecond: 1, burst }, push: { perSecond: 1, burst } },
    });
    const [taken, limited] = [await counted(route, 400), await counted(route, 429)];

    for (const [index, path] of paths.entries()) {
      expect(
        (await gateway.post('{', { path, headers: { ...SERVER_HEADERS, 'X-API-Key': 'sk_wrong' } }))
          .status,
      ).toBe(403);
      const { status, headers } = await gateway.post('{', { path });
      expect([status, headers.get('RateLimit-Remaining')]).toEqual([
        400,
        String(burst - 1 - index),
      ]);
    }
    for (const path of paths) expect((await gateway.post('{', { path })).status).toBe(429);

    expect(gateway.usedKeys).toHaveLength(2 * paths.length);
    expect([(await counted(route, 400)) - taken, (await counted(route, 429)) - limited]).toEqual([
      paths.length,
      paths.length,
    ]);
    expect(gateway.rejections.map(({ path }) => path).slice(paths.length)).toEqual(
      paths.map((path) => path.split('?')[0]),
    );
  });

  test('also where the address is written with its host', async () => {
    const gateway = await start({ rates: { ingest: { perSecond: 1, burst: 1 } } });
    await using connection = await openRawConnection(
      gateway.port,
      requestText('{').replace('POST / ', 'POST http://a/v1?x=1 ').repeat(2),
    );

    expect([(await connection.answer()).status, (await connection.answer()).status]).toEqual([
      400, 429,
    ]);
    expect(gateway.rejections.map(({ path }) => path)).toEqual(['/v1', '/v1']);
  });
});

describe('an answer before the body is read', () => {
  test('has every header and member that the answers behind it have', async () => {
    const gateway = await start({ rates: { ingest: { perSecond: 1, burst: 1 } } });
    await using connection = await openRawConnection(gateway.port, requestText('{').repeat(2));
    const behind = await connection.answer();

    const before = await connection.answer();

    expect(Object.keys(before.headers).toSorted()).toEqual(
      [...Object.keys(behind.headers), 'retry-after'].toSorted(),
    );
    expect(before.headers).toMatchObject({
      'api-version': '1',
      'content-type': 'application/problem+json',
      'ratelimit-limit': '1',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '1',
      'retry-after': '1',
    });
    expect(JSON.parse(before.body)).toEqual({
      type: 'urn:tidings:error:rate_limited',
      title: expect.any(String),
      status: 429,
      code: 'rate_limited',
      detail: 'The application exceeded its request rate.',
      requestId: before.headers['x-request-id'],
    });
  });

  test('leaves the connection to the requests behind it, whether their bodies come with them or later', async () => {
    const gateway = await start({ rates: { ingest: { perSecond: 1, burst: 1 } } });
    const large = 'x'.repeat(256 * 1024);
    await using connection = await openRawConnection(
      gateway.port,
      requestText(BODY) + requestText(BODY) + requestText(large) + requestText(BODY).slice(0, -10),
    );
    const statuses = [];
    for (let answer = 0; answer < 4; answer += 1) statuses.push((await connection.answer()).status);

    gateway.clock.advance(1_000);
    connection.socket.write(BODY.slice(-10) + requestText(BODY));

    expect([...statuses, (await connection.answer()).status]).toEqual([200, 429, 429, 429, 200]);
    expect(gateway.records).toHaveLength(2);
  });

  test('to a body that waits for 100-continue sends no 100 and closes the connection, so no later bytes are read as a request', async () => {
    const gateway = await start({ rates: { ingest: { perSecond: 1, burst: 1 } } });
    await using connection = await openRawConnection(
      gateway.port,
      requestText(BODY) + requestText(BODY, ['Expect: 100-continue']).slice(0, -BODY.length),
    );

    const statuses = [(await connection.answer()).status, (await connection.answer()).status];
    gateway.clock.advance(1_000);
    connection.socket.write(BODY + requestText(BODY));
    await connection.closed;

    expect(statuses).toEqual([200, 429]);
    expect(gateway.records).toHaveLength(1);
  });
});

test.each<[string, () => never]>([
  [
    'at once',
    () => {
      throw new Error('canary');
    },
  ],
  ['later', () => Promise.reject(new Error('canary')) as never],
])(
  'a bug in what decides, %s, is 500, says nothing of itself and is logged',
  async (_when, find) => {
    const gateway = await start({ keys: { find, invalidate: () => undefined } });

    const { status, text, problem } = await gateway.post(batchWith());

    expect([status, problem.code]).toEqual([500, 'internal']);
    expect(text).not.toContain('canary');
    expect(gateway.logLines).toEqual([
      expect.objectContaining({
        level: 'error',
        requestId: problem.requestId,
        path: '/',
        method: 'POST',
      }),
    ]);
  },
);
