import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { createCertificate } from '../../testing/certificate.ts';
import { createTestChannel, outgoingMail, startSmtpServer } from '../../testing/smtp.ts';

const certificate = createCertificate();
const usual = getCACertificates('default');

beforeAll(() => setDefaultCACertificates([...usual, certificate.cert]));
afterAll(() => setDefaultCACertificates(usual));

describe.each([
  ['STARTTLS', 'starttls', { disabledCommands: [] }],
  ['implicit TLS', 'tls', { secure: true }],
])('over %s', (_name, security, options) => {
  /** A server that needs a user, and takes mails over TLS only. */
  const start = async ({ key, cert } = certificate) => {
    const isSecure: boolean[] = [];
    const server = await startSmtpServer({
      ...options,
      key,
      cert,
      authOptional: false,
      onAuth: ({ username, password }, { secure }, done) => {
        isSecure.push(secure);
        done(null, username === 'ada' && password === 'secret' ? { user: 'ada' } : {});
      },
      onMailFrom: (_address, { secure }, done) => {
        isSecure.push(secure);
        done();
      },
    });
    return { ...server, isSecure };
  };
  const account = {
    settings: { security, username: 'ada' },
    secrets: { password: 'secret' },
  };

  test('mails are sent over one connection, the password and each mail encrypted', async () => {
    await using server = await start();
    await using channel = createTestChannel();

    for (const address of ['ada@example.org', 'eve@example.org'])
      expect(await channel.send(outgoingMail(server.port, { ...account, address }))).toMatchObject({
        status: 'sent',
      });

    expect(server.mails.map(({ to }) => to)).toEqual([['ada@example.org'], ['eve@example.org']]);
    expect(server.isSecure).toEqual([true, true, true]);
    expect(server.connections.opened).toBe(1);
  });

  test('a server without a valid certificate gets neither password nor mail', async () => {
    await using server = await start(createCertificate());
    await using channel = createTestChannel();

    expect(await channel.send(outgoingMail(server.port, account))).toMatchObject({
      status: 'transient',
      reason: 'provider_unavailable',
    });
    expect(server.isSecure).toEqual([]);
  });

  test('a lost connection after the mail is unknown', async () => {
    await using server = await startSmtpServer({
      ...options,
      ...certificate,
      onData: (stream) => {
        stream.resume().on('end', () => server.cut());
      },
    });
    await using channel = createTestChannel();

    expect(await channel.send(outgoingMail(server.port, { settings: { security } }))).toMatchObject(
      { status: 'unknown' },
    );
  });
});

/** A server that offers STARTTLS, and what happens at that command. */
async function startUpgradingServer(upgrade: (socket: Socket) => void) {
  const plain: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined).write('220 upgrading\r\n');
    const read = (chunk: Buffer): void => {
      const line = chunk.toString().trim();
      plain.push(line);
      if (line.startsWith('EHLO')) socket.write('250-upgrading\r\n250 STARTTLS\r\n');
      else {
        socket.removeListener('data', read);
        upgrade(socket);
      }
    };
    socket.on('data', read);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    plain,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const STARTTLS = {
  settings: { security: 'starttls', username: 'ada' },
  secrets: { password: 'secret' },
};

test('a server that resets after STARTTLS gets nothing, and the mail is tried again', async () => {
  await using server = await startUpgradingServer((socket) => {
    socket.write('220 Go ahead\r\n', () => socket.resetAndDestroy());
  });
  await using channel = createTestChannel();

  expect(await channel.send(outgoingMail(server.port, STARTTLS))).toMatchObject({
    status: 'transient',
    reason: 'provider_unavailable',
  });
  expect(server.plain).toEqual([expect.stringMatching(/^EHLO /), 'STARTTLS']);
});

/** Injects a text after the answer to STARTTLS, and returns the commands that arrive encrypted. */
async function startInjectingServer(injected: string) {
  const secured: string[] = [];
  const server = await startUpgradingServer((socket) => {
    socket.write(`220 Go ahead\r\n${injected}`);
    const secure = new TLSSocket(socket, { isServer: true, ...certificate });
    secure.on('error', () => undefined);
    let isInMail = false;
    createInterface(secure).on('line', (line) => {
      if (isInMail && line !== '.') return;
      if (!isInMail) secured.push(line.replace(/[ :].*/, ''));
      isInMail = line === 'DATA';
      secure.write(isInMail ? '354 Go on\r\n' : '250 Ok\r\n');
    });
  });
  return { ...server, secured };
}

test.each([
  ['a whole reply', '250-injected\r\n250-PIPELINING\r\n250 AUTH PLAIN LOGIN\r\n'],
  ['the beginning of a line', '250-AUTH PLAIN LOGIN'],
])('what is injected in plaintext after STARTTLS is discarded: %s', async (_what, injected) => {
  await using server = await startInjectingServer(injected);
  await using channel = createTestChannel();

  expect(await channel.send(outgoingMail(server.port, STARTTLS))).toMatchObject({ status: 'sent' });
  // Neither AUTH nor PIPELINING was offered by the server itself.
  expect(server.secured).toEqual(['EHLO', 'MAIL', 'RCPT', 'DATA']);
});

test('a reply that begins in plaintext after STARTTLS, and does not end, ends the session', async () => {
  await using server = await startInjectingServer('250-AUTH PLAIN LOGIN\r\n250-');
  await using channel = createTestChannel({ timeoutMs: 500 });

  expect(await channel.send(outgoingMail(server.port, STARTTLS))).toMatchObject({
    status: 'transient',
  });
  expect(server.secured).toEqual([]);
});
