import type { BareClient, BarePlan } from './client.ts';
import { createHttpPosts } from './http-posts.ts';

/** undici. */
export function createHookClient({ sinkUrl, concurrency, body }: BarePlan): BareClient {
  const posts = createHttpPosts(concurrency);
  return {
    send: (index) =>
      posts.post(`${sinkUrl}/hooks`, {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          campaignId: crypto.randomUUID(),
          deliveryId: crypto.randomUUID(),
          channel: 'WEB_HOOK',
          recipient: { customUserId: `user-${index}`, serviceUserId: null },
          title: null,
          body,
          customContent: null,
          sentAt: Date.now(),
        }),
      }),
    close: () => posts.close(),
  };
}
