import type { OutgoingDelivery } from '@tidings/channel-worker';
import { createEgress } from '@tidings/egress';
import { systemIds } from '@tidings/platform';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createWebHookChannel } from '../web-hook-channel.ts';

export const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
export const PREVIOUS_SECRET = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

export type ReceivedHook = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** A receiver that answers as the test says; `connections` counts how often it was connected to. */
export async function startReceiver(
  answer: (res: ServerResponse, req: IncomingMessage) => void = (res) =>
    void res.writeHead(204).end(),
) {
  const hooks: ReceivedHook[] = [];
  const connections = { opened: 0 };
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      hooks.push({ method: String(req.method), url: String(req.url), headers: req.headers, body });
      answer(res, req);
    });
  });
  server.on('connection', () => {
    connections.opened += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    hooks,
    connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The channel as the worker makes it. */
export function createTestChannel({
  egressAllowedNetworks = ['127.0.0.1/32'],
  hookTimeoutMs = 2_000,
  concurrency = 4,
} = {}) {
  const channel = createWebHookChannel(
    { egressPublicPorts: ['443'], hookTimeoutMs },
    { egress: createEgress({ egressAllowedNetworks }), concurrency },
  );
  return { send: channel.send, [Symbol.asyncDispose]: async () => channel.close?.() };
}

export function outgoingHook(
  url: string | undefined,
  overrides: Partial<OutgoingDelivery> = {},
): OutgoingDelivery {
  return {
    deliveryId: systemIds.uuid(),
    fence: 1,
    campaignId: systemIds.uuid(),
    applicationId: '00000000-0000-7000-8000-000000000001',
    customUserId: 'ada',
    serviceUserId: null,
    address: '',
    message: { title: 'Hello', body: { order: 5 } },
    purpose: 'transactional',
    isTracked: false,
    defaultSubject: null,
    expiresAt: Date.now() + 86_400_000,
    settings: url === undefined ? {} : { url },
    secrets: { secret: SECRET },
    accountKey: 'application',
    settingsKey: 'application:1',
    mayBegin: () => true,
    signal: new AbortController().signal,
    ...overrides,
  };
}
