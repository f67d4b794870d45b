import type { OutgoingDelivery } from '@tidings/channel-worker';
import { createEgress } from '@tidings/egress';
import { systemIds } from '@tidings/platform';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { SmsConfig } from '../../../config.ts';
import { createSmsChannel } from '../../../sms-channel.ts';

export type TwilioCall = {
  readonly method: string;
  readonly url: string;
  readonly authorization: string;
  readonly form: Readonly<Record<string, string>>;
};

export const ACCOUNT_SID = `AC${'1'.repeat(32)}`;
export const MESSAGE_SID = `SM${'2'.repeat(32)}`;

/** A server in Twilio's place; `answer` gets each call after it was read. */
export async function startTwilio(
  answer: (res: ServerResponse, req: IncomingMessage) => void = accept,
) {
  const calls: TwilioCall[] = [];
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      calls.push({
        method: String(req.method),
        url: String(req.url),
        authorization: String(req.headers.authorization),
        form: Object.fromEntries(new URLSearchParams(body)),
      });
      answer(res, req);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function accept(res: ServerResponse): void {
  res
    .writeHead(201, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ sid: MESSAGE_SID, status: 'queued', account_sid: ACCOUNT_SID }));
}

export const refuse =
  (status: number, code?: number, headers: Readonly<Record<string, string>> = {}) =>
  (res: ServerResponse): void => {
    res
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(JSON.stringify({ code, message: `refused with ${code}`, status }));
  };

export const TEST_CONFIG: SmsConfig = {
  egressPublicPorts: ['443'],
  encryptionKey: 'a key for tests, of thirty-two characters',
  previousEncryptionKey: '',
  publicBaseUrl: 'https://tidings.example',
  twilioTimeoutMs: 2_000,
  vonageTimeoutMs: 2_000,
  pollAfterMs: 60_000,
  pollIntervalMs: 60_000,
  pollUntilMs: 900_000,
};

/** The channel as the worker makes it, allowed to reach this machine. */
export function createTestChannel(config: Partial<SmsConfig> = {}) {
  const channel = createSmsChannel(
    { ...TEST_CONFIG, ...config },
    { egress: createEgress({ egressAllowedNetworks: ['127.0.0.1/32'] }), concurrency: 4 },
  );
  return { ...channel, [Symbol.asyncDispose]: async () => channel.close?.() };
}

/** A marked delivery to be sent through the server at `url`. */
export function outgoingSms(
  url: string,
  overrides: Partial<OutgoingDelivery> = {},
): OutgoingDelivery {
  return {
    deliveryId: systemIds.uuid(),
    fence: 3,
    campaignId: systemIds.uuid(),
    applicationId: '00000000-0000-7000-8000-000000000001',
    customUserId: 'ada',
    serviceUserId: null,
    address: '+4915112345001',
    message: { body: 'Grüße' },
    purpose: 'transactional',
    isTracked: false,
    defaultSubject: null,
    expiresAt: Date.now() + 86_400_000,
    secrets: { authToken: 'token' },
    accountKey: 'application',
    settingsKey: 'application:1',
    mayBegin: () => true,
    signal: new AbortController().signal,
    ...overrides,
    settings: {
      accountSid: ACCOUNT_SID,
      from: '+15005550006',
      apiBaseUrl: url,
      ...overrides.settings,
    },
  };
}
