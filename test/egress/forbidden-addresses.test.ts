import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { lookup } from 'node:dns/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { FORBIDDEN_URLS, NAMES } from './corpus.ts';
import { openOutboundPaths } from './outbound-paths.ts';

/**
 * Listens on every address of this machine and records the local address of each connection. Sends
 * an HTTP response and closes.
 */
async function startListener() {
  const reached: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    reached.push(socket.localAddress?.replace(/^::ffff:/, '') ?? '');
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    reached,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
let listener: Awaited<ReturnType<typeof startListener>>;
beforeAll(async () => {
  listener = await startListener();
});
afterAll(() => listener.close());

const resolve = async (host: string): Promise<readonly string[]> =>
  NAMES[host] ?? (await lookup(host, { all: true })).map(({ address }) => address);

describe('a non-public address is rejected on every outbound path, without a connection', () => {
  const { paths, close } = openOutboundPaths({ resolve });
  afterAll(close);
  /** Failures that are permanent: no redirect, no ambiguous attempt, no retry. */
  const REFUSALS = [
    'egress_refused',
    'address_refused',
    'unknown_push_service',
    'no_subscription',
    undefined,
  ];
  /** Spellings that do not resolve, or are not addresses. */
  const NO_ADDRESS = [
    'ENOTFOUND',
    'EAI_AGAIN',
    'EDNS',
    'ERR_INVALID_URL',
    'name_not_found',
    'connection_lost',
  ];

  test.each(
    paths.flatMap(({ name, call }) => FORBIDDEN_URLS.map((url) => [name, url, call] as const)),
  )('%s: %s', async (_name, url, call) => {
    const { status, providerCode } = await call(url.replace('{port}', String(listener.port)));

    expect(status).not.toBe('sent');
    expect(status).not.toBe('unknown');
    expect([...REFUSALS, ...NO_ADDRESS]).toContain(providerCode);
    expect(listener.reached).toEqual([]);
  });
});

describe('a name that resolves to an allowed address first and a forbidden one later', () => {
  const PERMITTED = '127.0.0.1';
  const FORBIDDEN = '127.0.0.2';
  const URL_OF_NAME = 'http://rebinding.example:{port}/';
  const names = [
    'the url of a WEB_HOOK message',
    'the url of the WEB_HOOK settings',
    'apiBaseUrl of SMS',
    'token_uri of APP_PUSH',
    'the host of EMAIL',
    'a webhook endpoint',
    'the endpoint of a subscription at a push service that is known',
  ];

  test.each(names)(
    '%s: the first is reached, the second never',
    async (name) => {
      let lookUps = 0;
      const { paths, close } = openOutboundPaths({
        allowedNetworks: [`${PERMITTED}/32`],
        resolve: async () => {
          lookUps += 1;
          return [lookUps === 1 ? PERMITTED : FORBIDDEN];
        },
      });
      const call = paths.find((path) => path.name === name)?.call;
      if (call === undefined) throw new Error('unknown outbound path');
      const before = listener.reached.length;
      const url = URL_OF_NAME.replace('{port}', String(listener.port));

      await call(url);
      const lookUpsOfFirst = lookUps;
      const second = await call(url);
      await close();

      expect(lookUpsOfFirst).toBe(1);
      expect(['egress_refused', 'address_refused']).toContain(second.providerCode);
      expect(listener.reached.slice(before)).toEqual([PERMITTED]);
    },
    30_000,
  );
});
