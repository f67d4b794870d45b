import { bundleBrowserSdk } from '@tidings/client-api/browser-sdk/bundle.mjs';
import { mountSdkFiles } from '@tidings/client-api/src/routes/sdk-files/handler.ts';
import { createApp, finishApp } from '@tidings/http/app';
import { createLogger, listen } from '@tidings/platform';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export const APPLICATION_ID = '01a1fd9f-1111-7000-8000-000000000001';
export const CLIENT_KEY = 'ck_of_the_fake_service';
export const SERVER_KEY = 'sk_of_the_fake_service';
const VAPID_PUBLIC_KEY = `B${'A'.repeat(86)}`;

type Json = Readonly<Record<string, unknown>>;
export type SentMessage = Json & {
  readonly id: string;
  readonly type: string;
  readonly time: number;
};
export type SentBatch = {
  readonly customUserId?: string;
  readonly serviceUserId?: string;
  readonly messages: readonly SentMessage[];
};
export type SentReceipt = {
  readonly deliveryId: string;
  readonly event: string;
  readonly at: number;
  readonly buttonIndex?: number;
};
type QueuedMessage = { readonly deliveryId: string; readonly message: Json; leasedUntil: number };

/** A fake service for the browser SDK. It checks keys, leases queued messages, and records all calls in memory. */
export interface FakeService extends AsyncDisposable {
  readonly url: string;
  readonly batches: readonly SentBatch[];
  readonly receipts: readonly SentReceipt[];
  readonly devices: ReadonlyMap<string, Json>;
  /** The number of calls with a user token. */
  identifications(): number;
  /** Whether user tokens are accepted from now on. */
  acceptTokens(areAccepted: boolean): void;
  /** Queues a message for the next device that asks. Returns the delivery id. */
  queueMessage(message: Json): string;
  /** Removes all queued messages. */
  clearMessages(): void;
  /** From now on every call except files gets this status; null: normal responses. */
  failWith(status: number | null): void;
  messages(): readonly SentMessage[];
  /** The number of open message streams. */
  streams(): number;
  reportedEvents(deliveryId: string): readonly string[];
}

const LEASE_MS = 3_000;
const POLL_MS = 25;
const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers':
    'Content-Type, X-Application-Id, X-API-Key, Last-Event-ID, Prefer',
  'Access-Control-Max-Age': '60',
};

export async function startFakeService(): Promise<FakeService> {
  const batches: SentBatch[] = [];
  const receipts: SentReceipt[] = [];
  const devices = new Map<string, Json>();
  const queued: QueuedMessage[] = [];
  let failStatus: number | null = null;
  let streams = 0;
  let identifications = 0;
  let areTokensAccepted = true;

  const register = (deviceId: unknown, facts: Json): Json => {
    const serviceUserId = devices.get(String(deviceId))?.['serviceUserId'] ?? randomUUID();
    const device: Json = { ...devices.get(String(deviceId)), ...facts, serviceUserId };
    devices.set(String(deviceId), device);
    return {
      serviceUserId,
      isProved: areTokensAccepted && typeof device['userToken'] === 'string',
    };
  };
  const posts: Readonly<Record<string, (body: Json) => Json>> = {
    '/': (body) => {
      batches.push(body as SentBatch);
      return { status: 'accepted' };
    },
    '/push': ({ message }) => ({ campaignId: queueMessage(message as Json) }),
    '/sdk/v1/devices': ({ deviceId, ...facts }) => register(deviceId, facts),
    '/sdk/v1/identify': ({ deviceId, userToken }) => {
      identifications += 1;
      return register(deviceId, { userToken });
    },
    '/sdk/v1/logout': ({ deviceId }) => {
      devices.set(String(deviceId), {
        ...devices.get(String(deviceId)),
        serviceUserId: randomUUID(),
        userToken: null,
      });
      return register(deviceId, {});
    },
    '/sdk/v1/receipts': (body) => {
      receipts.push(...(body['receipts'] as SentReceipt[]));
      for (const { deliveryId } of receipts) removeMessage(deliveryId);
      return {};
    },
  };
  const queueMessage = (message: Json): string => {
    const deliveryId = randomUUID();
    queued.push({ deliveryId, message, leasedUntil: 0 });
    return deliveryId;
  };
  const removeMessage = (deliveryId: string): void => {
    const index = queued.findIndex((each) => each.deliveryId === deliveryId);
    if (index >= 0) queued.splice(index, 1);
  };

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = new URL(req.url ?? '', 'http://fake.service').pathname;
    const send = (status: number, body: Json): void =>
      void res
        .writeHead(status, { ...CORS, 'Content-Type': 'application/json' })
        .end(JSON.stringify(body));
    if (req.method === 'OPTIONS') return void res.writeHead(204, CORS).end();
    const sent: unknown = req.method === 'POST' ? JSON.parse(await text(req)) : {};
    if (failStatus !== null) return send(failStatus, { code: 'unavailable' });
    const isBeacon = req.headers['x-api-key'] === undefined;
    const { applicationId, apiKey, body } = sent as {
      readonly applicationId?: string;
      readonly apiKey?: string;
      readonly body?: Json;
    };
    const key = isBeacon ? apiKey : req.headers['x-api-key'];
    if (
      (isBeacon ? applicationId : req.headers['x-application-id']) !== APPLICATION_ID ||
      (key !== CLIENT_KEY && key !== SERVER_KEY)
    )
      return send(403, { code: 'forbidden' });
    if (path === '/sdk/v1/config')
      return send(200, { applicationId: APPLICATION_ID, vapidPublicKey: VAPID_PUBLIC_KEY });
    if (path === '/sdk/v1/messages/stream') return stream(req, res);
    const handle = posts[path];
    return handle === undefined
      ? send(404, { code: 'not_found' })
      : send(200, handle(isBeacon ? (body ?? {}) : (sent as Json)));
  }

  function stream(req: IncomingMessage, res: ServerResponse): void {
    res.writeHead(200, { ...CORS, 'Content-Type': 'text/event-stream' });
    res.write(': hello\n\n');
    streams += 1;
    const limit = new URL(req.url ?? '', 'http://fake.service').searchParams.get('limit');
    const timer = setInterval(() => {
      const given = queued
        .filter(({ leasedUntil }) => leasedUntil < Date.now())
        .slice(0, Number(limit ?? Infinity));
      for (const each of given) {
        each.leasedUntil = Date.now() + LEASE_MS;
        res.write(`data: ${JSON.stringify({ deliveryId: each.deliveryId, ...each.message })}\n\n`);
      }
      if (given.length > 0 && limit !== null) res.end();
    }, POLL_MS);
    res.once('close', () => {
      clearInterval(timer);
      streams -= 1;
    });
  }

  const app = createApp();
  mountSdkFiles(app, bundleBrowserSdk());
  app.use((req, res, next) => void answer(req, res).catch(next));
  finishApp(app, createLogger('fake-service', 'silent'));
  const server = await listen(app, { host: '127.0.0.1', port: 0 }, { closeDeadlineMs: 500 });
  return {
    url: server.url,
    batches,
    receipts,
    devices,
    identifications: () => identifications,
    acceptTokens(areAccepted) {
      areTokensAccepted = areAccepted;
    },
    queueMessage,
    clearMessages: () => void queued.splice(0),
    failWith(status) {
      failStatus = status;
    },
    messages: () => batches.flatMap(({ messages }) => messages),
    streams: () => streams,
    reportedEvents: (deliveryId) =>
      receipts.filter((receipt) => receipt.deliveryId === deliveryId).map(({ event }) => event),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
