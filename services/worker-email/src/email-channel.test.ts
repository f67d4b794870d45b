import { describe, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestChannel, outgoingMail, smtpReply, startSmtpServer } from './testing/smtp.ts';

describe('what the server says is the outcome', () => {
  test('accepted: sent, with the server’s words', async () => {
    await using server = await startSmtpServer();
    await using channel = createTestChannel();
    const delivery = outgoingMail(server.port);

    expect(await channel.send(delivery)).toEqual({
      status: 'sent',
      providerCode: '250',
      providerMessage: '250 2.0.0 Ok',
    });
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]).toMatchObject({ from: 'shop@example.com', to: ['ada@example.org'] });
    expect(server.mails[0]?.source).toContain(`X-Tidings-Delivery: ${delivery.deliveryId}`);
  });

  test.each([
    [
      550,
      '5.1.1 No such user',
      {
        status: 'invalid_address',
        reason: 'invalid_address',
        suppression: 'suppressed_bounce',
        providerCode: '550 5.1.1',
      },
    ],
    [553, '5.1.3 No such syntax', { status: 'invalid_address', suppression: 'suppressed_bounce' }],
    [550, '5.7.1 Spam', { status: 'permanent', reason: 'provider_rejected' }],
    [
      451,
      '4.3.0 Greylisted',
      { status: 'transient', reason: 'provider_unavailable', retryAfterMs: 300_000 },
    ],
    [421, '4.3.2 Too busy', { status: 'rate_limited', providerCode: '421 4.3.2' }],
  ])('%i %s at RCPT', async (code, text, outcome) => {
    await using server = await startSmtpServer({
      onRcptTo: (_address, _session, done) => done(smtpReply(code, text)),
    });
    await using channel = createTestChannel();

    expect(await channel.send(outgoingMail(server.port))).toMatchObject(outcome);
    expect(server.mails).toEqual([]);
  });

  test('550 5.1.1 at MAIL FROM concerns the sender: no recipient is suppressed', async () => {
    await using server = await startSmtpServer({
      onMailFrom: (_address, _session, done) => done(smtpReply(550, '5.1.1 No such sender')),
    });
    await using channel = createTestChannel();

    expect(await channel.send(outgoingMail(server.port))).toEqual({
      status: 'permanent',
      reason: 'provider_rejected',
      providerCode: '550 5.1.1',
      providerMessage: expect.stringContaining('5.1.1'),
      bounce: { class: 'refused', evidence: '5.1.1' },
    });
  });

  test.each([
    [452, '4.2.2 Mailbox full', { status: 'transient', providerCode: '452 4.2.2' }],
    [554, '5.6.0 Content refused', { status: 'permanent', reason: 'provider_rejected' }],
    [421, '4.7.0 Slow down', { status: 'rate_limited' }],
  ])('%i %s after the final dot is an answer, not a doubt', async (code, text, outcome) => {
    await using server = await startSmtpServer({
      onData: (stream, _session, done) => {
        stream.resume().once('end', () => done(smtpReply(code, text)));
      },
    });
    await using channel = createTestChannel();

    expect(await channel.send(outgoingMail(server.port))).toMatchObject(outcome);
  });

  test('535: the credentials are wrong', async () => {
    await using server = await startSmtpServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ password }, _session, done) =>
        password === 'right'
          ? done(null, { user: 'shop' })
          : done(smtpReply(535, '5.7.8 Bad credentials')),
    });
    await using channel = createTestChannel();
    const withPassword = (password: string, settingsKey: string) =>
      channel.send(
        outgoingMail(server.port, {
          settingsKey,
          settings: { username: 'shop' },
          secrets: { password },
        }),
      );

    expect(await withPassword('wrong', 'application:1')).toMatchObject({
      status: 'configuration',
      reason: 'provider_auth',
      providerCode: '535 5.7.8',
    });
    expect(await withPassword('right', 'application:2')).toMatchObject({ status: 'sent' });
  });

  test('an untrusted certificate: nothing is sent', async () => {
    await using server = await startSmtpServer({ disabledCommands: [] });
    await using channel = createTestChannel();

    expect(
      await channel.send(outgoingMail(server.port, { settings: { security: 'starttls' } })),
    ).toMatchObject({ status: 'transient' });
    expect(server.mails).toEqual([]);
  });
});

describe('when the connection fails it decides how far the mail came', () => {
  test('connection refused', async () => {
    const server = await startSmtpServer();
    await server[Symbol.asyncDispose]();
    await using channel = createTestChannel();

    expect(await channel.send(outgoingMail(server.port))).toMatchObject({
      status: 'transient',
      reason: 'provider_unavailable',
      providerCode: expect.stringMatching(/ECONNREFUSED|ESOCKET/),
    });
  });

  test('a server that never greets', async () => {
    await using silent = await startSilentServer();
    await using channel = createTestChannel({ timeoutMs: 200 });

    expect(await channel.send(outgoingMail(silent.port))).toMatchObject({
      status: 'transient',
      reason: 'provider_timeout',
    });
  });

  test('the connection is reset before the final dot: not accepted, may be sent again', async () => {
    await using server = await startSmtpServer({
      onData: (stream) => {
        stream.once('data', () => server.cut('reset'));
      },
    });
    await using channel = createTestChannel();

    // Larger than all buffers on the way, so that its end was not written.
    expect(
      await channel.send(
        outgoingMail(server.port, { message: { body: 'x'.repeat(32 * 1024 * 1024) } }),
      ),
    ).toMatchObject({ status: 'transient' });
  });

  test.each(['close', 'reset'] as const)(
    'the reply to the final dot is dropped (%s): unknown',
    async (how) => {
      await using server = await startSmtpServer({
        onData: (stream) => {
          stream.resume().once('end', () => server.cut(how));
        },
      });
      await using channel = createTestChannel();

      expect(await channel.send(outgoingMail(server.port))).toMatchObject({ status: 'unknown' });
    },
  );

  test('the reply to the final dot times out: unknown', async () => {
    await using server = await startSmtpServer({ onData: (stream) => void stream.resume() });
    await using channel = createTestChannel({ timeoutMs: 200 });

    expect(await channel.send(outgoingMail(server.port))).toMatchObject({ status: 'unknown' });
  });

  test('a reply that is slow, but in time, counts', async () => {
    await using server = await startSmtpServer({
      onData: (stream, _session, done) => {
        stream.resume().once('end', () => void delay(300).then(() => done(null, 'Ok')));
      },
    });
    await using channel = createTestChannel({ timeoutMs: 5_000 });

    expect(await channel.send(outgoingMail(server.port))).toMatchObject({ status: 'sent' });
  });

  test('a pooled connection that breaks at MAIL FROM is not tried again behind our back', async () => {
    let mailCommands = 0;
    await using server = await startSmtpServer({
      onMailFrom: (_address, _session, done) => {
        mailCommands += 1;
        if (mailCommands === 2) server.cut();
        else done();
      },
    });
    await using channel = createTestChannel();

    expect(await channel.send(outgoingMail(server.port))).toMatchObject({ status: 'sent' });
    expect(await channel.send(outgoingMail(server.port))).toMatchObject({ status: 'transient' });
    expect(mailCommands).toBe(2);
    expect(server.mails).toHaveLength(1);
  });
});

describe('connections', () => {
  test('mails of one application share connections', async () => {
    await using server = await startSmtpServer();
    await using channel = createTestChannel();

    for (let sent = 0; sent < 5; sent += 1)
      expect(await channel.send(outgoingMail(server.port))).toMatchObject({ status: 'sent' });

    expect(server.connections.opened).toBe(1);
  });

  test('an idle connection that the server closed is replaced', async () => {
    await using server = await startSmtpServer();
    await using channel = createTestChannel();
    await channel.send(outgoingMail(server.port));

    server.cut();
    await eventually(() => expect(server.connections.open).toBe(0));

    await eventually(async () =>
      expect(await channel.send(outgoingMail(server.port))).toMatchObject({ status: 'sent' }),
    );
  });

  test('a change of the settings closes the connections of the old ones, but lets a mail on its way arrive', async () => {
    let finish: (() => void) | undefined;
    await using old = await startSmtpServer({
      onData: (stream, _session, done) => {
        stream.resume().once('end', () => (finish = () => done(null, 'Ok')));
      },
    });
    await using changed = await startSmtpServer();
    await using channel = createTestChannel();
    const first = channel.send(outgoingMail(old.port, { settingsKey: 'application:1' }));
    await eventually(() => expect(finish).toBeDefined());

    expect(
      await channel.send(outgoingMail(changed.port, { settingsKey: 'application:2' })),
    ).toMatchObject({ status: 'sent' });
    finish?.();

    expect(await first).toMatchObject({ status: 'sent' });
    await eventually(() => expect(old.connections.open).toBe(0));
    expect(changed.mails).toHaveLength(1);
  });

  test('accounts do not share connections', async () => {
    await using server = await startSmtpServer();
    await using channel = createTestChannel();

    await channel.send(outgoingMail(server.port));
    await channel.send(outgoingMail(server.port, { accountKey: 'application:second' }));
    await channel.send(outgoingMail(server.port));

    expect(server.connections.opened).toBe(2);
  });

  test('a private address is refused, without a connection, unless it is allowed', async () => {
    await using server = await startSmtpServer();
    await using guarded = createTestChannel({ egressAllowedNetworks: [] });

    for (const host of ['127.0.0.1', 'localhost']) {
      expect(
        await guarded.send(outgoingMail(server.port, { settings: { host }, settingsKey: host })),
      ).toMatchObject({
        status: 'configuration',
        providerCode: 'egress_refused',
      });
    }
    expect(server.connections.opened).toBe(0);
  });

  test('a row marked too long ago is not sent', async () => {
    await using server = await startSmtpServer();
    await using channel = createTestChannel();

    expect(await channel.send(outgoingMail(server.port, { mayBegin: () => false }))).toEqual({
      status: 'not_sent',
    });
    expect(server.connections.opened).toBe(0);
  });
});

async function startSilentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
