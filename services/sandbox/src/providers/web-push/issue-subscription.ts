import type { Request } from 'express';
import type { Subscriptions } from './browser-keys.ts';
import { endpointOf } from './push-service.ts';

/** As a browser gives it to its page, with the id by which the sandbox knows it. */
export type IssuedSubscription = {
  readonly subscriptionId: string;
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
};

/** A browser that subscribes; with a key, only its owner may push. */
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
