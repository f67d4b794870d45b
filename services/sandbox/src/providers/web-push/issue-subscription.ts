import type { Request } from 'express';
import type { Subscriptions } from './browser-keys.ts';
import { endpointOf } from './push-service.ts';

/** A subscription as a browser returns it to its page, with its id in the sandbox. */
export type IssuedSubscription = {
  readonly subscriptionId: string;
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
};

/** Creates a subscription; with a VAPID key, only its owner may push. */
export function issueSubscription(
  req: Request,
  subscriptions: Subscriptions,
  applicationServerKey: string | null,
): IssuedSubscription {
  const subscription = subscriptions.subscribe(applicationServerKey);
  const { publicKey, auth } = subscriptions.keysOf(subscription);
  return {
    subscriptionId: subscription.id,
    endpoint: endpointOf(req, subscription),
    keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
  };
}
