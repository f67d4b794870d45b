import { LRUCache } from 'lru-cache';
import webPush from 'web-push';

/** An application's VAPID keys, which identify it to push services (RFC 8292). */
export type VapidKeys = {
  readonly subject: string;
  readonly publicKey: string;
  readonly privateKey: string;
};

/** Returns the `Authorization` header for a push service. */
export type VapidHeaders = (keys: VapidKeys, endpoint: string) => string;

const KEPT_MAX = 2_000;
/** Push services accept tokens of at most one day; shorter, because clocks differ. */
const VALID_SECONDS = 12 * 3_600;
const KEPT_MS = 6 * 3_600_000;

/**
 * Signs once per application and push service and caches the header, because signing costs as much
 * as encrypting.
 */
export function createVapidHeaders(nowMs: () => number = Date.now): VapidHeaders {
  const headers = new LRUCache<
    string,
    { readonly authorization: string; readonly signedAt: number }
  >({ max: KEPT_MAX });
  return ({ subject, publicKey, privateKey }, endpoint) => {
    const { origin } = new URL(endpoint);
    const key = `${publicKey} ${subject} ${origin}`;
    const kept = headers.get(key);
    const now = nowMs();
    if (kept !== undefined && now - kept.signedAt < KEPT_MS) return kept.authorization;
    const { Authorization: authorization } = webPush.getVapidHeaders(
      origin,
      subject,
      publicKey,
      privateKey,
      'aes128gcm',
      Math.floor(now / 1000) + VALID_SECONDS,
    );
    headers.set(key, { authorization, signedAt: now });
    return authorization;
  };
}
