import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import {
  WEB_PUSH_PAYLOAD_BYTES_MAX,
  type WebPushNotification,
  type WebPushSubscription,
} from '@tidings/contracts/channels/push-notifications';
import { LIMITS } from '@tidings/contracts/limits';
import type { HttpRequest } from '@tidings/egress';
import { sealPush } from './seal.ts';

export type PushRequest = Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>;
type WebPushMessage = {
  readonly title?: string;
  readonly body: string;
  readonly url?: string;
  readonly icon?: string;
  readonly images?: readonly { readonly url: string }[];
  readonly buttons?: readonly { readonly label: string; readonly link: string }[];
  readonly ttl?: number | null;
};

/** Builds the encrypted push of one delivery, or the result if it is invalid. */
export function buildPushRequest(
  delivery: Pick<OutgoingDelivery, 'deliveryId' | 'campaignId' | 'message' | 'expiresAt'>,
  {
    subscription,
    authorization,
    nowMs,
  }: {
    readonly subscription: WebPushSubscription;
    readonly authorization: string;
    readonly nowMs: number;
  },
): PushRequest | SendResult {
  const payload = Buffer.from(JSON.stringify(buildNotification(delivery)));
  if (payload.length > WEB_PUSH_PAYLOAD_BYTES_MAX) {
    return {
      status: 'permanent',
      reason: 'payload_too_large',
      providerCode: 'too_large',
      providerMessage: `${payload.length} bytes of notification, of ${WEB_PUSH_PAYLOAD_BYTES_MAX}`,
    };
  }
  let body: Buffer;
  try {
    body = sealPush(payload, subscription.keys);
  } catch (error) {
    // Keys of the right length that are not a curve point: this subscription can never be encrypted
    // for.
    return {
      status: 'invalid_address',
      reason: 'invalid_address',
      providerCode: 'invalid_keys',
      providerMessage:
        error instanceof Error ? error.message : 'the subscription’s keys are not valid',
    };
  }
  return {
    method: 'POST',
    url: subscription.endpoint,
    headers: {
      TTL: String(ttlSeconds(delivery, nowMs)),
      Authorization: authorization,
      'Content-Type': 'application/octet-stream',
      'Content-Encoding': 'aes128gcm',
      // High urgency: delivered at once even in battery saving (RFC 8030, 5.3).
      Urgency: 'high',
      Topic: toTopic(delivery.deliveryId),
    },
    body,
  };
}

/** The payload for the service worker in the browser. */
function buildNotification({
  deliveryId,
  campaignId,
  message,
}: Pick<OutgoingDelivery, 'deliveryId' | 'campaignId' | 'message'>): WebPushNotification {
  const { title, body, url, icon, images, buttons } = message as WebPushMessage;
  const image = images?.[0]?.url;
  return {
    deliveryId,
    campaignId,
    ...(title === undefined ? {} : { title }),
    body,
    ...(url === undefined ? {} : { url }),
    ...(icon === undefined ? {} : { icon }),
    ...(image === undefined ? {} : { image }),
    ...(buttons === undefined || buttons.length === 0
      ? {}
      : { buttons: buttons.map(({ label, link }) => ({ label, link })) }),
    tag: deliveryId,
  };
}

/**
 * Remaining seconds, so that a message queued at the push service does not arrive after its expiry.
 * Without a ttl: the maximum.
 */
function ttlSeconds(
  { message, expiresAt }: Pick<OutgoingDelivery, 'message' | 'expiresAt'>,
  nowMs: number,
): number {
  const { ttl } = message as WebPushMessage;
  if (ttl === undefined || ttl === null) return LIMITS.ttlSecondsMax;
  if (Number(ttl) === 0) return 0;
  return Math.min(Math.max(1, Math.floor((expiresAt - nowMs) / 1000)), LIMITS.ttlSecondsMax);
}

/**
 * Topic: a newer push with the same topic replaces a queued one. 22 characters for the 16 bytes of
 * the id.
 */
function toTopic(deliveryId: string): string {
  return Buffer.from(deliveryId.replaceAll('-', ''), 'hex').toString('base64url');
}
