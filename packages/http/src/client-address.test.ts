import { createLogger, type HttpServer, listen } from '@tidings/platform';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { openRawConnection } from '@tidings/platform/testing';
import { createApp, finishApp, mountRoute } from './app.ts';
import { createClientAddressReader, createTlsReader } from './client-address.ts';

const servers: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** The client address that a service reads for a request from 127.0.0.1 with these headers. */
async function addressSeen(
  trusted: readonly string[],
  headers: readonly string[],
): Promise<unknown> {
  const app = createApp();
  const clientAddressOf = createClientAddressReader(trusted);
  mountRoute(app, '/', { GET: [(req, res) => void res.json(clientAddressOf(req))] });
  finishApp(app, createLogger('test', 'error', { write: () => undefined }));
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  servers.push(server);
  await using connection = await openRawConnection(
    server.port,
    ['GET / HTTP/1.1', 'Host: a', 'Connection: close', ...headers, '', ''].join('\r\n'),
  );
  return JSON.parse((await connection.answer()).body) as unknown;
}

const LOOPBACK = ['127.0.0.1'];

describe('where a request comes from', () => {
  test.each<[string, readonly string[], readonly string[], string | null]>([
    ['who connects, while no proxy is trusted', [], [], '127.0.0.1'],
    ['the connecting address, despite its headers', [], ['X-Forwarded-For: 10.1.2.3'], '127.0.0.1'],
    [
      'who connects, though another proxy is trusted',
      ['192.0.2.0/24'],
      ['X-Forwarded-For: 10.1.2.3'],
      '127.0.0.1',
    ],
    ['what a trusted proxy says', LOOPBACK, ['X-Forwarded-For: 10.1.2.3'], '10.1.2.3'],
    ['a trusted proxy that says nothing', LOOPBACK, [], '127.0.0.1'],
    ['a trusted proxy with an empty header', LOOPBACK, ['X-Forwarded-For:'], '127.0.0.1'],
    [
      'the last one: what is before it the caller wrote',
      LOOPBACK,
      ['X-Forwarded-For: 10.1.2.3, 203.0.113.5'],
      '203.0.113.5',
    ],
    [
      'the last one of several headers',
      LOOPBACK,
      ['X-Forwarded-For: 10.1.2.3', 'X-Forwarded-For: 203.0.113.5'],
      '203.0.113.5',
    ],
    [
      'the first that is no trusted proxy',
      ['127.0.0.1', '192.0.2.0/24'],
      ['X-Forwarded-For: 10.1.2.3, 203.0.113.5, 192.0.2.7'],
      '203.0.113.5',
    ],
    ['IPv6', LOOPBACK, ['X-Forwarded-For: 2001:DB8::1'], '2001:db8::1'],
    ['IPv4 as IPv6', LOOPBACK, ['X-Forwarded-For: ::ffff:10.1.2.3'], '10.1.2.3'],
    ['with a port', LOOPBACK, ['X-Forwarded-For: 10.1.2.3:4711'], '10.1.2.3'],
    ['IPv6 with a port', LOOPBACK, ['X-Forwarded-For: [2001:db8::1]:4711'], '2001:db8::1'],
    ['garbage', LOOPBACK, ['X-Forwarded-For: unknown'], null],
    ['garbage behind an address', LOOPBACK, ['X-Forwarded-For: 10.1.2.3, <script>'], null],
    [
      'a trusted proxy with a port, behind which nothing is believed',
      LOOPBACK,
      ['X-Forwarded-For: 10.1.2.3, 127.0.0.1:80'],
      '127.0.0.1',
    ],
    ['Forwarded', LOOPBACK, ['Forwarded: for=10.1.2.3'], '127.0.0.1'],
    ['X-Real-IP', LOOPBACK, ['X-Real-IP: 10.1.2.3'], '127.0.0.1'],
    [
      'X-Client-IP and others',
      LOOPBACK,
      ['X-Client-IP: 10.1.2.3', 'CF-Connecting-IP: 10.1.2.3', 'True-Client-IP: 10.1.2.3'],
      '127.0.0.1',
    ],
  ])('%s', async (_what, trusted, headers, address) => {
    expect(await addressSeen(trusted, headers)).toBe(address);
  });

  test.each([
    [
      'no network',
      ['10.0.0.0/8', 'loopback'],
      'TRUSTED_PROXIES "loopback" is neither an address nor a network',
    ],
    ['every address', ['0.0.0.0/0'], 'TRUSTED_PROXIES "0.0.0.0/0" would believe every caller'],
    ['every IPv6 address', ['::/0'], 'TRUSTED_PROXIES "::/0" would believe every caller'],
  ])('%s cannot be trusted', (_what, networks, problem) => {
    expect(() => createClientAddressReader(networks)).toThrow(problem);
  });
});

describe('whether a request came over TLS', () => {
  const request = (remoteAddress: string, proto?: string) =>
    ({
      headers: proto === undefined ? {} : { 'x-forwarded-proto': proto },
      socket: { remoteAddress },
    }) as unknown as IncomingMessage;

  test.each<[string, string | undefined, boolean]>([
    ['127.0.0.1', 'https', true],
    ['::ffff:127.0.0.1', 'HTTPS', true],
    ['127.0.0.1', 'http, https', true],
    ['127.0.0.1', 'https, http', false],
    ['127.0.0.1', 'http', false],
    ['127.0.0.1', undefined, false],
    // No other address is trusted.
    ['203.0.113.5', 'https', false],
  ])('%s says %s: %s', (from, proto, isTls) => {
    expect(createTlsReader(['127.0.0.1'])(request(from, proto))).toBe(isTls);
  });

  test('to this very server', () => {
    expect(
      createTlsReader([])({
        headers: {},
        socket: { remoteAddress: '203.0.113.5', encrypted: true },
      } as unknown as IncomingMessage),
    ).toBe(true);
  });
});
