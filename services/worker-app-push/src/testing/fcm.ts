import type { OutgoingDelivery } from '@tidings/channel-worker';
import { createEgress } from '@tidings/egress';
import { systemIds } from '@tidings/platform';
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createAppPushChannel } from '../app-push-channel.ts';

export type FcmCall = {
  readonly url: string;
  readonly authorization: string;
  readonly body: { readonly message: Readonly<Record<string, unknown>> };
};
type Answer = (res: ServerResponse, req: IncomingMessage) => void;

const PRIVATE_KEY = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
export const NAME = 'projects/shop/messages/0:1%1';

export const accept: Answer = (res) =>
  void res
    .writeHead(200, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ name: NAME }));
export const refuse =
  (
    status: number,
    details: readonly object[] = [],
    headers: Readonly<Record<string, string>> = {},
  ): Answer =>
  (res) =>
    void res
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(
        JSON.stringify({ error: { code: status, message: 'refused', status: 'WORDS', details } }),
      );

/** Servers in the place of FCM and of Google's tokens: the token is counted up. */
export async function startFcm(answer: Answer = accept, answerToken?: Answer) {
  const calls: FcmCall[] = [];
  const assertions: string[] = [];
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      if (req.url === '/token') {
        assertions.push(new URLSearchParams(body).get('assertion') ?? '');
        if (answerToken !== undefined) return answerToken(res, req);
        return void res.end(
          JSON.stringify({ access_token: `token-${assertions.length}`, expires_in: 3_600 }),
        );
      }
      calls.push({
        url: String(req.url),
        authorization: String(req.headers.authorization),
        body: JSON.parse(body) as FcmCall['body'],
      });
      return answer(res, req);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    assertions,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const serviceAccountAt = (url: string, privateKey = PRIVATE_KEY): string =>
  JSON.stringify({
    type: 'service_account',
    project_id: 'shop',
    private_key: privateKey,
    client_email: 'sender@shop.iam.gserviceaccount.com',
    token_uri: `${url}/token`,
  });

/** The channel as the worker makes it, allowed to reach this machine. */
export function createTestChannel({
  egressAllowedNetworks = ['127.0.0.1/32'],
  fcmTimeoutMs = 30_000,
} = {}) {
  const channel = createAppPushChannel(
    { egressPublicPorts: ['443'], fcmTimeoutMs },
    { egress: createEgress({ egressAllowedNetworks }), concurrency: 4 },
  );
  return { send: channel.send, [Symbol.asyncDispose]: async () => channel.close?.() };
}

/** A marked delivery to be sent through the server at `url`. */
export function outgoingAppPush(
  url: string,
  overrides: Partial<OutgoingDelivery> = {},
): OutgoingDelivery {
  return {
    deliveryId: systemIds.uuid(),
    fence: 1,
    campaignId: systemIds.uuid(),
    applicationId: '00000000-0000-7000-8000-000000000001',
    customUserId: 'ada',
    serviceUserId: null,
    address: 'phone-1:APA91b',
    message: { title: 'Hello', body: 'From the app' },
    defaultSubject: null,
    purpose: 'transactional',
    isTracked: false,
    expiresAt: Date.now() + 86_400_000,
    settings: { apiBaseUrl: url },
    secrets: { serviceAccount: serviceAccountAt(url) },
    // Apps of firebase-admin are known by it in the whole process.
    accountKey: 'application',
    settingsKey: `${systemIds.uuid()}:1`,
    mayBegin: () => true,
    signal: new AbortController().signal,
    ...overrides,
  };
}
