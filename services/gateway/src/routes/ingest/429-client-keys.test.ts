import { describe, expect, test } from '@jest/globals';
import { openRawConnection } from '@tidings/platform/testing';
import { eventually } from '@tidings/testing';
import { gzipSync } from 'node:zlib';
import {
  APPLICATION_ID,
  CLIENT_HEADERS,
  SERVER_HEADERS,
  batchWith,
  grantWith,
  startTestGateway,
  type Answer,
  type TestGateway,
} from '../../testing/test-gateway.ts';

const limitOf = ({ headers }: Answer) => [
  headers.get('RateLimit-Limit'),
  headers.get('RateLimit-Remaining'),
];
const from = (address: string, headers = CLIENT_HEADERS) => ({
  headers: { ...headers, 'X-Forwarded-For': address },
});
const TRUSTED = { trustedProxies: ['127.0.0.1'] };

/** Statuses of the given number of bad requests in sequence. */
async function flood(
  gateway: TestGateway,
  times: number,
  options: Parameters<TestGateway['post']>[1],
): Promise<number[]> {
  const statuses: number[] = [];
  for (let request = 0; request < times; request += 1)
    statuses.push((await gateway.post('{', options)).status);
  return statuses;
}

describe('Client keys have a rate of their own', () => {
  test('half of the other; what they send too much costs Server keys nothing', async () => {
    await using gateway = await startTestGateway({ rates: { ingest: { perSecond: 2, burst: 8 } } });

    expect(await flood(gateway, 20, { headers: CLIENT_HEADERS })).toEqual([
      400,
      400,
      400,
      400,
      ...Array<number>(16).fill(429),
    ]);

    const answers: Answer[] = [];
    for (let request = 0; request < 8; request += 1)
      answers.push(await gateway.post(batchWith({ id: `m${request}` })));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(answers.map(limitOf)[0]).toEqual(['8', '7']);
  });

  test.each([
    ['half of the application’s own for Server keys', { ingest: { perSecond: 1, burst: 6 } }, '3'],
    [
      'the application’s own',
      { ingest: { perSecond: 1, burst: 6 }, ingestClient: { perSecond: 1, burst: 5 } },
      '5',
    ],
    [
      'none where the application has none for Server keys',
      { ingest: { perSecond: 0, burst: 6 } },
      null,
    ],
  ])('%s', async (_what, rates, limit) => {
    const grant = grantWith(APPLICATION_ID, 'client', { settings: { rates } });
    await using gateway = await startTestGateway({
      rates: { ingest: { perSecond: 1, burst: 100 } },
      findKeyGrant: async () => grant,
    });

    expect(limitOf(await gateway.post('{', { headers: CLIENT_HEADERS }))[0]).toBe(limit);
  });
});

describe('each network address has a rate with Client keys', () => {
  const rates = {
    ingest: { perSecond: 1, burst: 20 },
    ingestClientAddress: { perSecond: 1, burst: 2 },
  };

  test('beyond it, others lose nothing: neither other addresses nor the application', async () => {
    await using gateway = await startTestGateway({ ...TRUSTED, rates });

    expect(await flood(gateway, 50, from('203.0.113.7'))).toEqual([
      400,
      400,
      ...Array<number>(48).fill(429),
    ]);

    const other = await gateway.post('{', from('203.0.113.8'));
    expect([other.status, ...limitOf(other)]).toEqual([400, '2', '1']);
    expect(await flood(gateway, 7, from('10.0.0.1'))).toEqual(Array(7).fill(400));
    // Ten tokens in the application's bucket: two, one and seven.
    expect((await gateway.post('{', from('10.0.0.1'))).status).toBe(429);
  });

  test('an IPv6 /64 is one address', async () => {
    await using gateway = await startTestGateway({ ...TRUSTED, rates });

    expect(
      [
        await flood(gateway, 1, from('2001:db8::1')),
        await flood(gateway, 1, from('2001:db8::2')),
        await flood(gateway, 1, from('2001:db8::3')),
        await flood(gateway, 1, from('2001:db8:0:1::1')),
      ].flat(),
    ).toEqual([400, 400, 429, 400]);
  });

  test('private and loopback addresses and Server keys have none', async () => {
    await using gateway = await startTestGateway({
      ...TRUSTED,
      rates: { ...rates, ingest: { perSecond: 1, burst: 100 } },
    });

    for (const options of [
      from('127.0.0.1'),
      from('192.168.1.1'),
      from('fd00::1'),
      from('203.0.113.7', SERVER_HEADERS),
    ])
      expect(await flood(gateway, 5, options)).toEqual(Array(5).fill(400));
  });

  test('the rejection names it and reports that bucket', async () => {
    await using gateway = await startTestGateway({ ...TRUSTED, rates });
    await flood(gateway, 2, from('203.0.113.7'));

    const { status, problem, headers } = await gateway.post('{', from('203.0.113.7'));

    expect([status, problem.code, problem.detail]).toEqual([
      429,
      'rate_limited',
      'This network address exceeded its request rate.',
    ]);
    expect(
      ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After'].map((name) =>
        headers.get(name),
      ),
    ).toEqual(['2', '0', '2', '1']);
  });
});

describe('bodies have a rate in bytes, by type of key', () => {
  const KIB = 1024;
  const BURST = 100 * KIB;
  const rates = { ingestBytes: { perSecond: 10 * KIB, burst: BURST } };
  const remainingOf = (answer: Answer) => Number(answer.headers.get('RateLimit-Remaining'));
  const body = (bytes: number) =>
    JSON.stringify({ ...batchWith(), pad: '' }).replace(
      '"pad":""',
      `"pad":"${'x'.repeat(bytes - JSON.stringify({ ...batchWith(), pad: '' }).length)}"`,
    );

  test('a body is charged once, as sent; above the rate is 429, for this key type only', async () => {
    await using gateway = await startTestGateway({ rates });

    const first = await gateway.post(body(60 * KIB));
    expect([first.status, ...limitOf(first)]).toEqual([200, String(BURST), String(40 * KIB)]);
    expect((await gateway.post(body(60 * KIB))).status).toBe(200);
    const third = await gateway.post(body(1 * KIB));
    expect([third.status, third.problem.detail, third.headers.get('Retry-After')]).toEqual([
      429,
      'The application exceeded its byte rate.',
      '2',
    ]);
    expect((await gateway.post(body(60 * KIB), { headers: CLIENT_HEADERS })).status).toBe(200);
    gateway.clock.advance(2_001);
    expect((await gateway.post(body(1 * KIB))).status).toBe(200);
  });

  test('a compressed body counts as what comes out of it', async () => {
    await using gateway = await startTestGateway({ rates });

    expect(
      (
        await gateway.post(gzipSync(body(60 * KIB)), {
          headers: { ...SERVER_HEADERS, 'Content-Encoding': 'gzip' },
        })
      ).status,
    ).toBe(200);

    expect(remainingOf(await gateway.post(body(KIB)))).toBe(39 * KIB);
  });

  test('a body without a length counts as what was read of it', async () => {
    await using gateway = await startTestGateway({ rates });
    const text = body(60 * KIB);
    const head = [
      'POST / HTTP/1.1',
      'Host: a',
      ...Object.entries(SERVER_HEADERS).map(([name, value]) => `${name}: ${value}`),
      'Transfer-Encoding: chunked',
      '',
      '',
    ].join('\r\n');
    await using connection = await openRawConnection(
      gateway.port,
      `${head}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
    );
    expect((await connection.answer()).status).toBe(200);

    expect(remainingOf(await gateway.post(body(KIB)))).toBe(39 * KIB);
  });

  test.each([
    ['of a type that is not read', { 'Content-Type': 'text/plain' }, 415, 30],
    ['that is no JSON', {}, 400, 30],
    ['that is larger than may be', {}, 413, 2_000],
  ])('a body %s counts too', async (_what, headers, status, kib) => {
    await using gateway = await startTestGateway({
      rates: { ingestBytes: { perSecond: 10, burst: 4_096 * KIB } },
    });

    expect(
      (await gateway.post('x'.repeat(kib * KIB), { headers: { ...SERVER_HEADERS, ...headers } }))
        .status,
    ).toBe(status);

    expect(remainingOf(await gateway.post(body(KIB)))).toBe(
      (4_096 - Math.min(kib, 1_024) - 1) * KIB,
    );
  });

  test('a body that its caller sends slowly counts before it is there, and one that ends too early as what came of it', async () => {
    await using gateway = await startTestGateway({ rates });
    const request = (headers: readonly string[]) =>
      [
        'POST / HTTP/1.1',
        'Host: a',
        ...Object.entries(SERVER_HEADERS).map(([name, value]) => `${name}: ${value}`),
        ...headers,
        '',
        '',
      ].join('\r\n');
    await using slow = await openRawConnection(
      gateway.port,
      `${request([`Content-Length: ${50 * KIB}`])}{`,
    );
    const endless = await openRawConnection(
      gateway.port,
      `${request(['Transfer-Encoding: chunked'])}${(20 * KIB).toString(16)}\r\n${'x'.repeat(20 * KIB)}\r\n`,
    );
    await untilReceived(gateway, 2);
    await endless[Symbol.asyncDispose]();

    let remaining = Infinity;
    const until = performance.now() + 5_000;
    while (remaining > 30 * KIB && performance.now() < until)
      remaining = remainingOf(await gateway.post('', { headers: SERVER_HEADERS }));

    expect(remaining).toBe(30 * KIB);
    expect(slow.socket.destroyed).toBe(false);
  });
});

describe('what a caller declares and never sends is given back when the connection ends', () => {
  const KIB = 1024;
  const BURST = 4_096 * KIB;
  const rates = { ingestBytes: { perSecond: 1, burst: BURST } };
  const headWith = (headers: readonly string[]) =>
    [
      'POST / HTTP/1.1',
      'Host: a',
      `X-Application-Id: ${APPLICATION_ID}`,
      `X-API-Key: ${CLIENT_HEADERS['X-API-Key']}`,
      'X-Forwarded-For: 203.0.113.7',
      ...headers,
      '',
      '',
    ].join('\r\n');
  /** A request without a body from another address shows the bytes left. */
  const left = async (gateway: TestGateway) =>
    Number((await gateway.post('', from('203.0.113.8'))).headers.get('RateLimit-Remaining'));

  test.each([
    ['a body', ['Content-Type: application/json', `Content-Length: ${1_024 * KIB}`]],
    [
      'a body of a type that is not read',
      ['Content-Type: text/plain', `Content-Length: ${1_024 * KIB}`],
    ],
    [
      'a body without a length of a type that is not read',
      ['Content-Type: text/plain', 'Transfer-Encoding: chunked'],
    ],
    [
      'a body that is larger than may be',
      ['Content-Type: application/json', `Content-Length: ${2_000 * KIB}`],
    ],
  ])('%s', async (_what, headers) => {
    await using gateway = await startTestGateway({ ...TRUSTED, rates });

    for (let request = 1; request <= 50; request += 1) {
      const connection = await openRawConnection(gateway.port, headWith(headers));
      await untilReceived(gateway, request);
      await connection[Symbol.asyncDispose]();
    }

    await eventually(async () => expect(await left(gateway)).toBe(BURST));
    expect((await gateway.post(batchWith(), from('203.0.113.8'))).status).toBe(200);
  });

  test('but not what was sent, nor anything while the connection is open', async () => {
    await using gateway = await startTestGateway({ ...TRUSTED, rates });
    const connection = await openRawConnection(
      gateway.port,
      `${headWith(['Content-Type: application/json', `Content-Length: ${1_024 * KIB}`])}${'x'.repeat(100 * KIB)}`,
    );
    await untilReceived(gateway, 1);
    expect(await left(gateway)).toBe(BURST - 1_024 * KIB);

    connection.socket.end();
    await connection.closed;

    await eventually(async () => expect(await left(gateway)).toBe(BURST - 100 * KIB));
  });
});

/** Resolves when the keys of the given number of requests were checked. */
async function untilReceived(gateway: TestGateway, requests: number): Promise<void> {
  const until = performance.now() + 5_000;
  while (gateway.usedKeys.length < requests && performance.now() < until)
    await new Promise((resolve) => setImmediate(resolve));
  expect(gateway.usedKeys.length).toBeGreaterThanOrEqual(requests);
}
