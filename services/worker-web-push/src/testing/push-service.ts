import type { OutgoingDelivery } from '@tidings/channel-worker';
import type { WebPushSubscription } from '@tidings/contracts/channels/push-notifications';
import { createEgress } from '@tidings/egress';
import { systemIds } from '@tidings/platform';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import webPush from 'web-push';
import { createWebPushChannel } from '../web-push-channel.ts';
import { createBrowser } from './browser.ts';

export const VAPID = { subject: 'mailto:ops@example.com', ...webPush.generateVAPIDKeys() };

export type ReceivedPush = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** A push service that answers as the test says. */
export async function startPushService(
  answer: (res: ServerResponse, req: IncomingMessage) => void = (res) =>
    void res.writeHead(201).end(),
) {
  const pushes: ReceivedPush[] = [];
  const server = createServer((req, res) => {
    void buffer(req).then((body) => {
      pushes.push({ method: String(req.method), url: String(req.url), headers: req.headers, body });
      answer(res, req);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pushes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A browser that has subscribed at the push service. */
export function subscriptionAt(url: string): WebPushSubscription {
  return { endpoint: `${url}/push/${systemIds.uuid()}`, keys: createBrowser().keys };
}

/** The channel as the worker makes it, for which `services` are push services. */
export function createTestChannel(
  services: readonly string[],
  { egressAllowedNetworks = ['127.0.0.1/32'], pushTimeoutMs = 30_000 } = {},
) {
  const channel = createWebPushChannel(
    { egressPublicPorts: ['443'], webPushServices: services, pushTimeoutMs },
    { egress: createEgress({ egressAllowedNetworks }), concurrency: 4 },
  );
  return { send: channel.send, [Symbol.asyncDispose]: async () => channel.close?.() };
}

export function outgoingPush(
  address: WebPushSubscription | string,
  overrides: Partial<OutgoingDelivery> = {},
): OutgoingDelivery {
  return {
    deliveryId: systemIds.uuid(),
    fence: 1,
    campaignId: systemIds.uuid(),
    applicationId: '00000000-0000-7000-8000-000000000001',
    customUserId: 'ada',
    serviceUserId: null,
    address: typeof address === 'string' ? address : JSON.stringify(address),
    message: { title: 'Hello', body: 'From the web' },
    defaultSubject: null,
    purpose: 'transactional',
    isTracked: false,
    expiresAt: Date.now() + 86_400_000,
    settings: { subject: VAPID.subject, publicKey: VAPID.publicKey },
    secrets: { privateKey: VAPID.privateKey },
    accountKey: 'application',
    settingsKey: 'application:1',
    mayBegin: () => true,
    signal: new AbortController().signal,
    ...overrides,
  };
}
