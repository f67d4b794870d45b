import webPush from 'web-push';
import { createBrowser, subscriptionAt } from '../../browsers.ts';
import { VAPID_SUBJECT } from '../../channels.ts';
import type { BareClient, BarePlan } from './client.ts';
import { createHttpPosts } from './http-posts.ts';

const BROWSERS = 1_000;
const TTL_SECONDS = 2_419_200;

/**
 * web-push builds and encrypts each push, undici sends it. The VAPID signature is created once, as
 * in the worker.
 */
export function createPushClient({ sinkUrl, concurrency, body }: BarePlan): BareClient {
  const posts = createHttpPosts(concurrency);
  const browsers = Array.from({ length: BROWSERS }, createBrowser);
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  const { Authorization } = webPush.getVapidHeaders(
    sinkUrl,
    VAPID_SUBJECT,
    publicKey,
    privateKey,
    'aes128gcm',
  );
  return {
    async send(index) {
      const keys = browsers[index % BROWSERS];
      if (keys === undefined) throw new Error('the browser does not exist');
      const deliveryId = crypto.randomUUID();
      const payload = JSON.stringify({
        deliveryId,
        campaignId: crypto.randomUUID(),
        body,
        tag: deliveryId,
      });
      const topic = deliveryId.replaceAll('-', '');
      const {
        endpoint,
        headers,
        body: encrypted,
      } = webPush.generateRequestDetails(subscriptionAt(sinkUrl, String(index), keys), payload, {
        headers: { Authorization },
        TTL: TTL_SECONDS,
        topic,
        urgency: 'high',
      });
      // undici sets the length itself.
      const { 'Content-Length': _length, ...rest } = headers as Record<string, string | number>;
      return posts.post(endpoint, {
        headers: Object.fromEntries(
          Object.entries(rest).map(([name, value]) => [name, String(value)]),
        ),
        body: encrypted,
      });
    },
    close: () => posts.close(),
  };
}
