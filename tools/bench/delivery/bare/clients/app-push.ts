import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getMessaging, type Messaging } from 'firebase-admin/messaging';
import { Agent } from 'node:http';
import { PROJECT_ID } from '../../channels.ts';
import type { BareClient, BarePlan } from './client.ts';
import { createHttpPosts } from './http-posts.ts';

const TOKEN = `ya29.${'a'.repeat(180)}`;

/** `send()` of firebase-admin, over its own HTTP client with keep-alive or over undici. */
export function createFcmClient(plan: BarePlan): BareClient {
  const credential = { getAccessToken: async () => ({ access_token: TOKEN, expires_in: 3_600 }) };
  const app = initializeApp(
    {
      projectId: PROJECT_ID,
      credential,
      httpAgent: new Agent({ keepAlive: true, maxSockets: plan.concurrency }),
    },
    'bare',
  );
  const { messaging, close } = (plan.transport === 'own' ? overOwnRequests : overUndici)(
    getMessaging(app),
    plan,
  );
  const { body } = plan;
  return {
    send(index) {
      const deliveryId = crypto.randomUUID();
      return messaging.send({
        token: `token-of-user-${index}`,
        notification: { body },
        data: { deliveryId, campaignId: crypto.randomUUID() },
        android: { collapseKey: deliveryId, priority: 'high', notification: { tag: deliveryId } },
        apns: { headers: { 'apns-collapse-id': deliveryId, 'apns-priority': '10' } },
      });
    },
    async close() {
      await deleteApp(app);
      await close();
    },
  };
}

type Reached = { readonly messaging: Messaging; close(): Promise<void> };
/** Internals of the package. */
type Handler = { httpClient: { send(request: { readonly url: string }): Promise<unknown> } };

/** The package would call Google only. */
function overOwnRequests(messaging: Messaging, { sinkUrl }: BarePlan): Reached {
  const { messagingRequestHandler: handler } = messaging as unknown as {
    readonly messagingRequestHandler: Handler;
  };
  const { httpClient } = handler;
  handler.httpClient = {
    send: (request) =>
      httpClient.send({ ...request, url: `${sinkUrl}${new URL(request.url).pathname}` }),
  };
  return { messaging, close: () => Promise.resolve() };
}

function overUndici(messaging: Messaging, { sinkUrl, concurrency }: BarePlan): Reached {
  const posts = createHttpPosts(concurrency);
  const invokeRequestHandler = async (
    _host: string,
    path: string,
    message: object,
  ): Promise<unknown> =>
    JSON.parse(
      await posts.post(`${sinkUrl}${path}`, {
        headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(message),
      }),
    );
  return {
    messaging: Object.create(messaging, {
      messagingRequestHandler: { value: { invokeRequestHandler } },
    }) as Messaging,
    close: () => posts.close(),
  };
}
