import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createEgress, EgressBlockedError } from './egress.ts';
import { parseRetryAfterMs } from './retry-after.ts';
import { signWebhook } from './standard-webhooks.ts';

const TIMEOUT_MS = 5_000;

/** A server that counts its connections. */
async function startServer(host = '127.0.0.1') {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const onLoopback = { egressAllowedNetworks: ['127.0.0.1/32'] };

describe('a connection is opened to a vetted address only', () => {
  test.each([
    '127.0.0.1',
    '::1',
    '0.0.0.0',
    '::',
    '::ffff:127.0.0.1',
    '169.254.169.254',
    'fe80::1%lo',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ])('%s is refused without a connection', async (host) => {
    await using server = await startServer();

    await expect(
      createEgress({ egressAllowedNetworks: [] }).connect({
        host,
        port: server.port,
        timeoutMs: TIMEOUT_MS,
      }),
    ).rejects.toThrow(EgressBlockedError);
    expect(server.sockets.size).toBe(0);
  });

  test.each(['localhost', 'localhost.', '127.1', '0x7f.1', '2130706433', '0177.0.0.1', '0'])(
    '%s, which the system resolves, is refused',
    async (host) => {
      await using server = await startServer();
      const refused = createEgress({ egressAllowedNetworks: [] }).connect({
        host,
        port: server.port,
        timeoutMs: TIMEOUT_MS,
      });

      // If the system does not know the spelling, the look-up fails instead.
      await expect(refused).rejects.toThrow(/is not a public address|ENOTFOUND|EAI_AGAIN/);
      expect(server.sockets.size).toBe(0);
    },
  );

  test('a name is refused when any of its addresses is private', async () => {
    await using server = await startServer();
    const egress = createEgress({ egressAllowedNetworks: [] }, async () => [
      '8.8.8.8',
      '127.0.0.1',
    ]);

    await expect(
      egress.connect({ host: 'mixed.example', port: server.port, timeoutMs: TIMEOUT_MS }),
    ).rejects.toThrow(EgressBlockedError);
    expect(server.sockets.size).toBe(0);
  });

  test('a name without addresses is refused', async () => {
    const egress = createEgress(onLoopback, async () => []);

    await expect(
      egress.connect({ host: 'empty.example', port: 25, timeoutMs: TIMEOUT_MS }),
    ).rejects.toThrow(EgressBlockedError);
  });

  test('a name that changes its mind after the check wins nothing', async () => {
    await using vetted = await startServer();
    let lookUps = 0;
    const egress = createEgress(onLoopback, async () => {
      lookUps += 1;
      return lookUps === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
    });

    const socket = await egress.connect({
      host: 'rebinding.example',
      port: vetted.port,
      timeoutMs: TIMEOUT_MS,
    });

    expect(socket.remoteAddress).toBe('127.0.0.1');
    expect(lookUps).toBe(1);
    await expect(
      egress.connect({ host: 'rebinding.example', port: vetted.port, timeoutMs: TIMEOUT_MS }),
    ).rejects.toThrow(EgressBlockedError);
    socket.destroy();
  });
});

describe('a connection is bounded', () => {
  test('an address that does not answer gives way to the next', async () => {
    await using server = await startServer();
    const egress = createEgress({ egressAllowedNetworks: ['127.0.0.0/8', '::1/128'] }, async () => [
      '::1',
      '127.0.0.1',
    ]);

    const socket = await egress.connect({
      host: 'two.example',
      port: server.port,
      timeoutMs: TIMEOUT_MS,
    });

    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });

  test('a refused connection is reported, for one address or several', async () => {
    const server = await startServer();
    await server[Symbol.asyncDispose]();
    const egress = createEgress({ egressAllowedNetworks: ['127.0.0.0/8'] }, async () => [
      '127.0.0.1',
      '127.0.0.2',
    ]);

    await expect(
      egress.connect({ host: '127.0.0.1', port: server.port, timeoutMs: TIMEOUT_MS }),
    ).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(
      egress.connect({ host: 'two.example', port: server.port, timeoutMs: TIMEOUT_MS }),
    ).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('a look-up that hangs ends in time', async () => {
    const egress = createEgress(onLoopback, () => new Promise(() => undefined));

    await expect(
      egress.connect({ host: 'slow.example', port: 25, timeoutMs: 50 }),
    ).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  test('the time for connecting ends with the connection: it stays open afterwards', async () => {
    await using server = await startServer();
    const socket = await createEgress(onLoopback).connect({
      host: '127.0.0.1',
      port: server.port,
      timeoutMs: 50,
    });

    const closed = new Promise((resolve) => socket.once('close', () => resolve('closed')));
    const later = new Promise((resolve) => setTimeout(() => resolve('open'), 150));

    expect(await Promise.race([closed, later])).toBe('open');
    socket.destroy();
  });
});

describe('retry-after', () => {
  const NOW = Date.UTC(2026, 0, 1);

  test.each([
    ['2', 2_000],
    [' 120 ', 120_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-5x', undefined],
    [undefined, undefined],
  ])('Retry-After %j is %j ms', (header, expected) => {
    expect(parseRetryAfterMs(header, NOW)).toBe(expected);
  });
});

describe('standard-webhooks', () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  const body = '{"text":"Grüße 👋"}';
  const now = () => Math.floor(Date.now() / 1000);
  const sign = (secrets: string | readonly string[], timestampSeconds = now()) =>
    signWebhook(secrets, { id: 'msg_1', timestampSeconds, body });

  describe('a hook is signed by the Standard Webhooks scheme', () => {
    test('the public package verifies it', () => {
      expect(new Webhook(secret).verify(body, sign(secret))).toEqual(JSON.parse(body));
    });

    test('with two secrets each of them verifies it', () => {
      const headers = sign([secret, other]);

      expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
      for (const one of [secret, other])
        expect(new Webhook(one).verify(body, headers)).toEqual(JSON.parse(body));
      expect(() => new Webhook(other).verify(body, sign(secret))).toThrow();
    });

    test('a replayed old request does not verify', () => {
      expect(() => new Webhook(secret).verify(body, sign(secret, now() - 301))).toThrow(/old/);
    });

    test.each([
      ['another body', { body: '{"text":"x"}' }],
      ['another id', { 'webhook-id': 'msg_2' }],
      ['another time', { 'webhook-timestamp': String(now() - 1) }],
    ])(
      '%s does not verify',
      (_name, { body: changed = body, ...headers }: Record<string, string>) => {
        expect(() =>
          new Webhook(secret).verify(changed, { ...sign(secret), ...headers }),
        ).toThrow();
      },
    );
  });
});
