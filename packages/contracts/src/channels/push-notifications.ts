/**
 * A browser subscription: `PushSubscription.toJSON()` of the W3C Push API. Its JSON is the address
 * of a WEB_PUSH delivery.
 */
export type WebPushSubscription = {
  readonly endpoint: string;
  /**
   * Keys of the browser in base64url: its P-256 public key (65 bytes) and its secret (16 bytes).
   */
  readonly keys: { readonly p256dh: string; readonly auth: string };
};

/**
 * The JSON that a service worker gets with a push. Fields that the campaign lacks are absent;
 * unknown fields must be ignored. The body is never empty.
 */
export type WebPushNotification = {
  readonly deliveryId: string;
  readonly campaignId: string;
  readonly title?: string;
  readonly body: string;
  /** Opens on a click on the notification. */
  readonly url?: string;
  readonly icon?: string;
  /** The first of the campaign's images: a notification shows one. */
  readonly image?: string;
  /** Opens on a click on the button. Browsers show two or three. */
  readonly buttons?: readonly { readonly label: string; readonly link: string }[];
  /** The delivery id: a repeated notification replaces the first. */
  readonly tag: string;
};

/**
 * The `data` of an app message. FCM accepts strings only. It also contains the campaign's
 * `customContent`, with non-strings as JSON; these fields take precedence.
 */
export type AppPushData = {
  readonly deliveryId: string;
  readonly campaignId: string;
  readonly url?: string;
  readonly icon?: string;
  /** JSON: a list of URLs. */
  readonly images?: string;
  /** JSON: a list of `{label, link}`. */
  readonly buttons?: string;
};

/**
 * Maximum JSON bytes of a notification: encrypted they are the 4,096 bytes that push services
 * accept (RFC 8291, 4).
 */
export const WEB_PUSH_PAYLOAD_BYTES_MAX = 3_993;
/** Maximum bytes of the notification and data of an FCM message. */
export const APP_PUSH_PAYLOAD_BYTES_MAX = 4_096;

const ENDPOINT_CHARS_MAX = 1_500;
const PUBLIC_KEY = /^[A-Za-z0-9_-]{87}=?$/;
const AUTH_SECRET = /^[A-Za-z0-9_-]{22}={0,2}$/;

/**
 * Parses a subscription and drops other fields; null if it is invalid. The endpoint's address is
 * not checked.
 */
export function parseWebPushSubscription(text: string): WebPushSubscription | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const { endpoint, keys } = (value ?? {}) as {
    readonly endpoint?: unknown;
    readonly keys?: unknown;
  };
  const { p256dh, auth } = (keys ?? {}) as { readonly p256dh?: unknown; readonly auth?: unknown };
  if (
    typeof endpoint !== 'string' ||
    endpoint.length > ENDPOINT_CHARS_MAX ||
    !/^https?:\/\/[\x21-\x7e]+$/.test(endpoint) ||
    !URL.canParse(endpoint)
  )
    return null;
  if (
    typeof p256dh !== 'string' ||
    typeof auth !== 'string' ||
    !PUBLIC_KEY.test(p256dh) ||
    !AUTH_SECRET.test(auth)
  )
    return null;
  return { endpoint, keys: { p256dh, auth } };
}

const DEVICE_TOKEN = /^[\x21-\x7e]{1,4096}$/;

/** Whether `text` may be an FCM token. Google does not specify the format. */
export function isDeviceToken(text: string): boolean {
  return DEVICE_TOKEN.test(text);
}
