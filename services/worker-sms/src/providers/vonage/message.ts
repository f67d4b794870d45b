import { smsSegments } from '@tidings/contracts/channels/sms-segments';
import type { OutgoingSms } from '../sms-provider.ts';

/** Vonage tries for 72 hours by default, and takes no shorter time than 20 seconds. */
const TTL_SECONDS_DEFAULT = 72 * 3_600;
const TTL_SECONDS_MIN = 20;

/** The body of `POST /v1/messages` for one delivery. */
export function buildMessage(
  { delivery, statusCallback }: Pick<OutgoingSms, 'delivery' | 'statusCallback'>,
  now: number,
): Readonly<Record<string, unknown>> {
  const text = String(delivery.message['body']);
  const secondsLeft = Math.max(TTL_SECONDS_MIN, Math.floor((delivery.expiresAt - now) / 1000));
  return {
    channel: 'sms',
    message_type: 'text',
    to: withoutPlus(delivery.address),
    from: withoutPlus(String(delivery.settings['from'])),
    text,
    client_ref: delivery.deliveryId,
    // Said, so that the segments which are billed are those that are counted here.
    sms: { encoding_type: smsSegments(text).encoding === 'GSM-7' ? 'text' : 'unicode' },
    // A message that waits at Vonage must not arrive after its expiry.
    ...(secondsLeft < TTL_SECONDS_DEFAULT ? { ttl: secondsLeft } : {}),
    ...(statusCallback === undefined ? {} : { webhook_url: statusCallback, webhook_version: 'v1' }),
  };
}

/** Vonage writes numbers in E.164 without the plus. */
const withoutPlus = (number: string): string => number.replace(/^\+/, '');
