import type { OutgoingDelivery } from '@tidings/channel-worker';
import { createEgress } from '@tidings/egress';
import { systemIds } from '@tidings/platform';
import { buffer } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { createEmailChannel } from '../email-channel.ts';
import { createMailLinker } from '../mail-links.ts';
import { buildMail } from '../mail.ts';

export const TEST_CONFIG = {
  encryptionKey: 'a key for tests, of thirty-two characters',
  previousEncryptionKey: '',
  publicBaseUrl: 'https://tidings.example',
  smtpConnectTimeoutMs: 5_000,
  smtpSocketTimeoutMs: 5_000,
} as const;

export type ReceivedMail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly bytes: Buffer;
  /** The same as text. */
  readonly source: string;
};

/** A real SMTP server on a free port that takes every mail, save where `options` say otherwise. */
export async function startSmtpServer(options: SMTPServerOptions = {}) {
  const mails: ReceivedMail[] = [];
  const connections = { opened: 0, open: 0 };
  const server: SMTPServer = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: true,
    logger: false,
    closeTimeout: 100,
    onConnect: (_session, done) => {
      connections.opened += 1;
      connections.open += 1;
      done();
    },
    onClose: () => {
      connections.open -= 1;
    },
    onData: (stream, { envelope }, done) => {
      buffer(stream).then((bytes) => {
        mails.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          bytes,
          source: bytes.toString(),
        });
        done(null, '2.0.0 Ok');
      }, done);
    },
    ...options,
  });
  // Disconnecting clients are part of the tests.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    connections,
    /** Ends every connection without a word. */
    cut(how: 'close' | 'reset' = 'close') {
      for (const { _socket: socket } of server.connections) {
        if (how === 'reset') socket.resetAndDestroy();
        else socket.destroy();
      }
    },
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export function smtpReply(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

/** The channel as the worker makes it, allowed to reach this machine; `await using` closes its connections. */
export function createTestChannel({
  timeoutMs = 5_000,
  egressAllowedNetworks = ['127.0.0.1/32'],
  publicBaseUrl = TEST_CONFIG.publicBaseUrl as string,
} = {}) {
  const channel = createEmailChannel(
    {
      ...TEST_CONFIG,
      publicBaseUrl,
      smtpConnectTimeoutMs: timeoutMs,
      smtpSocketTimeoutMs: timeoutMs,
    },
    { egress: createEgress({ egressAllowedNetworks }) },
  );
  return {
    send: (delivery: OutgoingDelivery) => channel.send(delivery),
    async [Symbol.asyncDispose]() {
      await channel.close?.();
    },
  };
}

/** A marked delivery to be sent through the server at `port`. */
export function outgoingMail(
  port: number,
  overrides: Partial<OutgoingDelivery> = {},
): OutgoingDelivery {
  return {
    deliveryId: systemIds.uuid(),
    fence: 1,
    expiresAt: Date.now() + 3_600_000,
    campaignId: systemIds.uuid(),
    applicationId: '00000000-0000-7000-8000-000000000001',
    customUserId: 'ada',
    serviceUserId: null,
    address: 'ada@example.org',
    message: { title: 'Hello', body: 'Text' },
    purpose: 'transactional',
    isTracked: false,
    defaultSubject: null,
    secrets: {},
    accountKey: 'application',
    settingsKey: 'application:1',
    mayBegin: () => true,
    signal: new AbortController().signal,
    ...overrides,
    settings: {
      host: '127.0.0.1',
      port,
      security: 'none',
      fromAddress: 'shop@example.com',
      ...overrides.settings,
    },
  };
}

/** The mail of a delivery, of an installation at `publicBaseUrl`. */
export function composedMail(
  delivery: OutgoingDelivery,
  publicBaseUrl: string = TEST_CONFIG.publicBaseUrl,
) {
  return buildMail(delivery, createMailLinker({ ...TEST_CONFIG, publicBaseUrl })(delivery));
}
