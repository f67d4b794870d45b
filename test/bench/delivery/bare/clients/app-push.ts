import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getMessaging, type Messaging } from 'firebase-admin/messaging';
import { PROJECT_ID } from '../../channels.ts';
import type { BareClient, BarePlan } from './client.ts';
import { createHttpPosts } from './http-posts.ts';

const TOKEN = `ya29.${'a'.repeat(180)}`;

/** `send()` of firebase-admin over undici: over its own requests, as it comes, it would be slower, and reach Google alone. */
export function createFcmClient({ sinkUrl, concurrency, body }: BarePlan): BareClient {
  const posts = createHttpPosts(concurrency);
  const app = initializeApp({ projectId: PROJECT_ID, credential: { getAccessToken: async () => ({ access_token: TOKEN, expires_in: 3_600 }) } }, 'bare');
  const invokeRequestHandler = async (_host: string, path: string, message: object): Promise<unknown> =>
    JSON.parse(await posts.post(`${sinkUrl}${path}`, { headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' }, body: JSON.stringify(message) }));
  const messaging = Object.create(getMessaging(app), { messagingRequestHandler: { value: { invokeRequestHandler } } }) as Messaging;
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
      await posts.close();
    },
  };
}
