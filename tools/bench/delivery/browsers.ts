import type { WebPushSubscription } from '@tidings/contracts/channels/push-notifications';
import { createECDH, randomBytes } from 'node:crypto';
import { SINK_PATHS } from './sink/provider-answers.ts';

const AUTH_BYTES = 16;

/** Keys of a browser's subscription. */
export type Browser = WebPushSubscription['keys'];

export function createBrowser(): Browser {
  const curve = createECDH('prime256v1');
  curve.generateKeys();
  return {
    p256dh: curve.getPublicKey('base64url'),
    auth: randomBytes(AUTH_BYTES).toString('base64url'),
  };
}

/** A subscription whose endpoint is the sink. */
export function subscriptionAt(sinkUrl: string, name: string, keys: Browser): WebPushSubscription {
  return { endpoint: `${sinkUrl}${SINK_PATHS.pushService}${name}`, keys };
}
