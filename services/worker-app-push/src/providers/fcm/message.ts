import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import {
  APP_PUSH_PAYLOAD_BYTES_MAX,
  type AppPushData,
} from '@tidings/contracts/channels/push-notifications';
import { LIMITS } from '@tidings/contracts/limits';
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

/**
 * Data keys reserved by FCM (firebase.google.com/docs/cloud-messaging: from, message_type, and keys
 * starting with google or gcm).
 */
const RESERVED_KEY = /^(from$|message_type$|google|gcm)/;
const WEB_URL = /^https?:\/\//i;

/** Builds the FCM message of one delivery, or the result if it is invalid. */
export function buildFcmMessage(
  delivery: OutgoingDelivery,
  nowMs: number,
): TokenMessage | SendResult {
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
  const data = { ...asStrings(customContent), ...buildData(delivery) };
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
    ...buildTransport(delivery, { imageUrl, nowMs }),
  };
}

/** Transport options: a repeat replaces the first message, and nothing arrives after its expiry. */
function buildTransport(
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
        // Apple expects a timestamp; 0 means deliver now or never.
        ...(hasTtl && {
          'apns-expiration': isNowOrNever ? '0' : String(Math.floor(nowMs / 1000) + secondsLeft),
        }),
      },
      // An app extension fetches the image before the message is displayed.
      ...(imageUrl !== undefined && {
        payload: { aps: { mutableContent: true } },
        fcmOptions: { imageUrl },
      }),
    },
  };
}

function buildData({ deliveryId, campaignId, message }: OutgoingDelivery): AppPushData {
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

/** Keeps every digit of integers. */
function asStrings(content: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : stringifyExactJson(value),
    ]),
  );
}
