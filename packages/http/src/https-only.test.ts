import { type HttpServer, isUuid, listen, systemIds } from '@tidings/platform';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openRawConnection, type RawAnswer } from '@tidings/platform/testing';
import { httpsOnly } from './https-only.ts';

const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const LOOPBACK = ['127.0.0.1'];
const PLAIN = 'X-Forwarded-Proto: http';

type Asked = {
  readonly start?: string;
  /** Null: the request has no such header. */
  readonly host?: string | null;
  readonly headers?: readonly string[];
  readonly trusted?: readonly string[];
  readonly isHttpsOnly?: boolean;
};

/**
 * The response to a request from 127.0.0.1, and the number of requests that reached the handler,
 * which responds 200.
 */
async function ask({
  start = 'GET / HTTP/1.1',
  host = 'tidings.example',
  headers = [PLAIN],
  trusted = LOOPBACK,
  isHttpsOnly = true,
}: Asked): Promise<RawAnswer & { readonly handled: number }> {
  let handled = 0;
  const handler = httpsOnly(
    (_req, res) => {
      handled += 1;
      res.setHeader('Content-Length', '0').end();
    },
    { isHttpsOnly, trustedProxies: trusted, ids: systemIds },
  );
  const server = await listen(handler, { host: '127.0.0.1', port: 0 });
  servers.push(server);
  const lines = [
    start,
    ...(host === null ? [] : [`Host: ${host}`]),
    'Connection: close',
    ...headers,
    '',
    '',
  ];
  await using connection = await openRawConnection(server.port, lines.join('\r\n'));
  return { ...(await connection.answer()), handled };
}

describe('what is let through', () => {
  test.each<[string, Asked]>([
    ['what no proxy speaks of', { headers: [] }],
    ['what came by https', { headers: ['X-Forwarded-Proto: https'] }],
    ['what came by https to the last proxy', { headers: ['X-Forwarded-Proto: http, https'] }],
    [
      'what came by https, by the last of two headers',
      { headers: [PLAIN, 'X-Forwarded-Proto: https'] },
    ],
    ['a header from a caller that is not a proxy', { trusted: [] }],
    ['a header from an untrusted address', { trusted: ['192.0.2.0/24'] }],
    ['an empty header', { headers: ['X-Forwarded-Proto:'] }],
    ['another scheme', { headers: ['X-Forwarded-Proto: httpx'] }],
    ['a list that ends in nothing', { headers: ['X-Forwarded-Proto: http,'] }],
    [
      'what another header says',
      { headers: ['Forwarded: proto=http', 'X-Forwarded-Scheme: http', 'X-Forwarded-Port: 80'] },
    ],
    ['everything, where it is switched off', { isHttpsOnly: false }],
    ['a POST of no proxy', { start: 'POST / HTTP/1.1', headers: ['Content-Length: 0'] }],
  ])('%s', async (_what, asked) => {
    expect(await ask(asked)).toMatchObject({ status: 200, handled: 1 });
  });
});

describe('who only reads is sent to https', () => {
  test.each<[string, Asked, string]>([
    ['GET', {}, 'https://tidings.example/'],
    ['HEAD', { start: 'HEAD / HTTP/1.1' }, 'https://tidings.example/'],
    [
      'by the last of several proxies',
      { headers: ['X-Forwarded-Proto: https, http'] },
      'https://tidings.example/',
    ],
    [
      'by the last of two headers',
      { headers: ['X-Forwarded-Proto: https', PLAIN] },
      'https://tidings.example/',
    ],
    ['in capitals', { headers: ['X-Forwarded-Proto: HTTP'] }, 'https://tidings.example/'],
    [
      'with path and query',
      { start: 'GET /t/c?d=a%20b&u=https://other.example/ HTTP/1.1' },
      'https://tidings.example/t/c?d=a%20b&u=https://other.example/',
    ],
    [
      'with a path that looks like a host',
      { start: 'GET //other.example/x HTTP/1.1' },
      'https://tidings.example//other.example/x',
    ],
    ['with dots in the path', { start: 'GET /a/../b HTTP/1.1' }, 'https://tidings.example/a/../b'],
    [
      'with the whole address',
      { start: 'GET http://other.example/x?y=1 HTTP/1.1' },
      'https://tidings.example/x?y=1',
    ],
    [
      'with a port, which is that of plain HTTP',
      { host: 'tidings.example:8080' },
      'https://tidings.example/',
    ],
    ['with an empty port', { host: 'tidings.example:' }, 'https://tidings.example/'],
    ['IPv4', { host: '192.0.2.1:80' }, 'https://192.0.2.1/'],
    ['IPv6', { host: '[2001:db8::1]' }, 'https://[2001:db8::1]/'],
    ['IPv6 with a port', { host: '[2001:DB8::1]:8080' }, 'https://[2001:DB8::1]/'],
    ['a name with an underscore', { host: 'front_door' }, 'https://front_door/'],
    [
      'despite other host headers',
      { headers: [PLAIN, 'X-Forwarded-Host: other.example', 'Forwarded: host=other.example'] },
      'https://tidings.example/',
    ],
  ])('%s', async (_what, asked, location) => {
    const { status, headers, body, handled } = await ask(asked);

    expect([status, headers['location'], body, handled]).toEqual([308, location, '', 0]);
    expect(headers).toMatchObject({ 'api-version': '1', 'cache-control': 'no-store' });
    expect(isUuid(String(headers['x-request-id']))).toBe(true);
  });
});

describe('anything else is rejected', () => {
  test.each<[string, Asked]>([
    ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'].map((method): [string, Asked] => [
      method,
      { start: `${method} / HTTP/1.1` },
    ]),
    [
      'POST by the last of several proxies',
      { start: 'POST / HTTP/1.1', headers: ['X-Forwarded-Proto: https, http'] },
    ],
    ['GET without a host', { start: 'GET / HTTP/1.0', host: null }],
    ['GET with an escape in the host', { host: 'tidings%2eexample' }],
    ['GET with an IPv4 address that is none', { host: '300.1.1.1' }],
    ['GET with an IPv6 address that is none', { host: '[:::1]' }],
    ['GET of no path', { start: 'GET * HTTP/1.1' }],
    ['GET of an address without a host', { start: 'GET http:// HTTP/1.1' }],
  ])('%s', async (_what, asked) => {
    const { status, headers, body, handled } = await ask(asked);

    expect([status, headers['location'], handled]).toEqual([403, undefined, 0]);
    expect(headers).toMatchObject({
      'content-type': 'application/problem+json',
      'api-version': '1',
    });
    expect(JSON.parse(body)).toMatchObject({
      code: 'https_required',
      status: 403,
      requestId: headers['x-request-id'],
    });
  });

  test.each([
    ['a line break', 'GET /\rSet-Cookie:a=b HTTP/1.1'],
    ['a tab', 'GET /\tx HTTP/1.1'],
    ['a form feed', 'GET /\fx HTTP/1.1'],
    ['a letter that is not ASCII', 'GET /\u00e9 HTTP/1.1'],
    ['something before the path', 'GET @other.example/ HTTP/1.1'],
    ['a host before the path', 'GET other.example/ HTTP/1.1'],
    ['no host behind its scheme', 'GET http:/other.example HTTP/1.1'],
  ])('an address with %s is no HTTP and leads nowhere', async (_what, start) => {
    const { status, headers, handled } = await ask({ start });

    expect([status, headers['location'], handled]).toEqual([400, undefined, 0]);
  });
});

test('a body that arrives after the rejection is not read as another request, and the connection stays open', async () => {
  const seen: string[] = [];
  const handler = httpsOnly(
    (req, res) => void (seen.push(String(req.url)), res.setHeader('Content-Length', '0').end()),
    { isHttpsOnly: true, trustedProxies: LOOPBACK, ids: systemIds },
  );
  const server = await listen(handler, { host: '127.0.0.1', port: 0 });
  servers.push(server);
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
  await using connection = await openRawConnection(
    server.port,
    `POST / HTTP/1.1\r\nHost: a\r\n${PLAIN}\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}GET /next HTTP/1.1\r\nHost: a\r\n\r\n`,
  );

  expect([(await connection.answer()).status, (await connection.answer()).status]).toEqual([
    403, 200,
  ]);
  expect(seen).toEqual(['/next']);
});

describe('an invalid host is rejected as invalid HTTP, before the scheme is checked', () => {
  test.each<[string, Asked]>([
    ['an empty host', { host: '' }],
    ['a user before the host', { host: 'tidings.example@other.example' }],
    ['a path behind the host', { host: 'tidings.example/x' }],
    ['a query behind the host', { host: 'tidings.example?x' }],
    ['a backslash in the host', { host: 'tidings.example\\x' }],
    ['two hosts', { host: 'tidings.example, other.example' }],
    ['a host that is not ASCII', { host: 'tid\u00efngs.example' }],
    ['a port that is no number', { host: 'tidings.example:x' }],
    ['an IPv6 address without brackets', { host: '2001:db8::1' }],
  ])('%s', async (_what, asked) => {
    const { status, headers, handled } = await ask(asked);

    expect([status, headers['location'], headers['content-type'], handled]).toEqual([
      400,
      undefined,
      'application/problem+json',
      0,
    ]);
  });
});
