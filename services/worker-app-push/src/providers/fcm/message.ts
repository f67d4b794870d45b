import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import { APP_PUSH_PAYLOAD_BYTES_MAX, LIMITS, type AppPushData } from '@tidings/contracts';
import { stringifyExactJson } from '@tidings/platform';
import type { TokenMessage } from 'firebase-admin/messaging';

type AppPushMessage = {
  readonly title?: string;
  readonly body: string;
  readonly url?: string;
  readonly icon?: string;
  readonly images?: readonly { readonly url: string }[];
  readonly buttons?: readonly { readonly label: string; readonly link: string }[];
  readonly ttl?: number | bigint | null;
  readonly customContent?: Readonly<Record<string, unknown>>;
};

/** Keys of data that are FCM's (firebase.google.com/docs/cloud-messaging: from, message_type, and all that begin with google or gcm). */
const RESERVED_KEY = /^(from$|message_type$|google|gcm)/;
const WEB_URL = /^https?:\/\//i;

/** The message of one delivery as FCM takes it, or why there can be none. */
export function fcmMessageOf(delivery: OutgoingDelivery, nowMs: number): TokenMessage | SendResult {
  const { title, body, images, customContent = {} } = delivery.message as AppPushMessage;
  const reserved = Object.keys(customContent).find((key) => RESERVED_KEY.test(key));
  if (reserved !== undefined) {
    return {
      status: 'permanent',
      reason: 'provider_rejected',
      providerCode: 'reserved_key',
      providerMessage:
        'customContent has a key that FCM keeps for itself: from, message_type, google… or gcm…',
    };
  }
  const imageUrl = images?.map(({ url }) => url).find((url) => WEB_URL.test(url));
  const notification = {
    ...(title === undefined ? {} : { title }),
    body,
    ...(imageUrl === undefined ? {} : { imageUrl }),
  };
  const data = { ...asStrings(customContent), ...dataOf(delivery) };
  const payloadBytes = Buffer.byteLength(JSON.stringify({ notification, data }));
  if (payloadBytes > APP_PUSH_PAYLOAD_BYTES_MAX) {
    return {
      status: 'permanent',
      reason: 'payload_too_large',
      providerCode: 'too_large',
      providerMessage: `${payloadBytes} bytes of notification and data, of ${APP_PUSH_PAYLOAD_BYTES_MAX}`,
    };
  }
  return {
    token: delivery.address,
    notification,
    data,
    ...transportOf(delivery, { imageUrl, nowMs }),
  };
}

/** How it gets to the phone: a repeat replaces the first, and nothing arrives after its time. */
function transportOf(
  { deliveryId, message, expiresAt }: OutgoingDelivery,
  { imageUrl, nowMs }: { readonly imageUrl: string | undefined; readonly nowMs: number },
) {
  const { ttl } = message as AppPushMessage;
  const hasTtl = ttl !== undefined && ttl !== null;
  const isNowOrNever = hasTtl && Number(ttl) === 0;
  const secondsLeft = Math.min(
    Math.max(1, Math.floor((expiresAt - nowMs) / 1000)),
    LIMITS.ttlSecondsMax,
  );
  return {
    android: {
      collapseKey: deliveryId,
      priority: 'high' as const,
      ...(hasTtl && { ttl: isNowOrNever ? 0 : secondsLeft * 1000 }),
      notification: { tag: deliveryId },
    },
    apns: {
      headers: {
        'apns-collapse-id': deliveryId,
        'apns-priority': '10',
        // At Apple a time, and 0 for now or never.
        ...(hasTtl && {
          'apns-expiration': isNowOrNever ? '0' : String(Math.floor(nowMs / 1000) + secondsLeft),
        }),
      },
      // An extension of the app fetches the image before the message is shown.
      ...(imageUrl !== undefined && {
        payload: { aps: { mutableContent: true } },
        fcmOptions: { imageUrl },
      }),
    },
  };
}

function dataOf({ deliveryId, campaignId, message }: OutgoingDelivery): AppPushData {
  const { url, icon, images, buttons } = message as AppPushMessage;
  return {
    deliveryId,
    campaignId,
    ...(url === undefined ? {} : { url }),
    ...(icon === undefined ? {} : { icon }),
    ...(images === undefined || images.length === 0
      ? {}
      : { images: JSON.stringify(images.map((image) => image.url)) }),
    ...(buttons === undefined || buttons.length === 0
      ? {}
      : { buttons: JSON.stringify(buttons.map(({ label, link }) => ({ label, link }))) }),
  };
}

/** With every digit of its integers. */
function asStrings(content: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : stringifyExactJson(value),
    ]),
  );
}
