/**
 * Where a browser is reached: `PushSubscription.toJSON()` of the W3C Push API. Written as JSON it is the address of a
 * WEB_PUSH delivery.
 */
export type WebPushSubscription = {
  readonly endpoint: string;
  /** Of the browser, in base64url: its public key on P-256 (65 bytes) and its secret (16 bytes). */
  readonly keys: { readonly p256dh: string; readonly auth: string };
};

/**
 * What a service worker gets with a push, as JSON. Absent is what the campaign does not have; a field that is not known is
 * to be ignored. The body is never empty.
 */
export type WebPushNotification = {
  readonly deliveryId: string;
  readonly campaignId: string;
  readonly title?: string;
  readonly body: string;
  /** Opened by a click on the notification itself. */
  readonly url?: string;
  readonly icon?: string;
  /** The first of the campaign's images: a notification shows one. */
  readonly image?: string;
  /** Opened by the button; a browser shows as many as it likes, two or three. */
  readonly buttons?: readonly { readonly label: string; readonly link: string }[];
  /** The delivery's id: a notification that comes again replaces the first. */
  readonly tag: string;
};

/**
 * The `data` of a message to an app: strings, as FCM takes nothing else. Beside them stand the campaign's `customContent`,
 * where what is no string is JSON; a key of ours wins.
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

/** Bytes of the JSON of a notification at most: encrypted they are the 4,096 that push services take (RFC 8291, 4). */
export const WEB_PUSH_PAYLOAD_BYTES_MAX = 3_993;
/** Bytes that FCM takes of a message's notification and data. */
export const APP_PUSH_PAYLOAD_BYTES_MAX = 4_096;

const ENDPOINT_CHARS_MAX = 1_500;
const PUBLIC_KEY = /^[A-Za-z0-9_-]{87}=?$/;
const AUTH_SECRET = /^[A-Za-z0-9_-]{22}={0,2}$/;

/** A subscription from the JSON of one, without whatever else stands in it; null when it is none. Where its endpoint leads to is not looked at. */
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

/** Whether `text` can be the token of an app at FCM, whose form Google does not promise. */
export function isDeviceToken(text: string): boolean {
  return DEVICE_TOKEN.test(text);
}
