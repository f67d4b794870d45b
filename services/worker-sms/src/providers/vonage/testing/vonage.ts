import type { OutgoingDelivery } from '@tidings/channel-worker';
import { systemIds } from '@tidings/platform';
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { outgoingSms } from '../../twilio/testing/twilio.ts';

export type VonageCall = {
  readonly method: string;
  readonly url: string;
  readonly authorization: string;
  readonly body: Readonly<Record<string, unknown>>;
};

export const APPLICATION_ID = 'aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab';
export const MESSAGE_ID = 'f1b2c3d4-0000-4000-8000-000000000001';
export const keys = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** A server in Vonage's place; `answer` gets each call after it was read. */
export async function startVonage(
  answer: (res: ServerResponse, req: IncomingMessage) => void = accept,
) {
  const calls: VonageCall[] = [];
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      calls.push({
        method: String(req.method),
        url: String(req.url),
        authorization: String(req.headers.authorization),
        body: JSON.parse(body) as Record<string, unknown>,
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
    .writeHead(202, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ message_uuid: MESSAGE_ID }));
}

export const reject =
  (status: number, problem: object, headers: Readonly<Record<string, string>> = {}) =>
  (res: ServerResponse): void => {
    res
      .writeHead(status, { 'Content-Type': 'application/problem+json', ...headers })
      .end(JSON.stringify(problem));
  };

/** A marked delivery to be sent through the server at `url`. */
export function outgoingByVonage(
  url: string,
  overrides: Partial<OutgoingDelivery> = {},
): OutgoingDelivery {
  return outgoingSms(url, {
    secrets: { privateKey: keys.privateKey, signatureSecret: 'secret' },
    settingsKey: `application:${systemIds.uuid()}`,
    ...overrides,
    settings: {
      accountSid: undefined,
      provider: 'vonage',
      apiKey: 'a1b2c3d4',
      applicationId: APPLICATION_ID,
      ...overrides.settings,
    },
  });
}
