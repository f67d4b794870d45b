import type { DeliveryReason } from './campaigns.ts';

/** What the id in the address of a status callback is signed for: worker-sms signs it, client-api opens it. */
export const SMS_STATUS_PURPOSE = 'sms-status';

/** What Twilio says of a message after it took it, in the words of a delivery; null while it says nothing new. */
export type TwilioNews =
  | { readonly state: 'sent' | 'delivered' | 'expired' }
  | { readonly state: 'failed'; readonly reason: DeliveryReason };

const VALIDITY_EXPIRED = 30036;

/** Codes of carriers (twilio.com/docs/api/errors); the rest is a refusal without a better word. */
const REASONS: ReadonlyMap<number, DeliveryReason> = new Map([
  [21610, 'sms_stop'],
  [30001, 'provider_unavailable'], // the queue overflowed
  [30002, 'provider_auth'], // the account is suspended
  [30003, 'provider_unavailable'], // the phone is off or out of reach
  [30004, 'invalid_address'], // takes no messages from us
  [30005, 'invalid_address'], // nobody has this number
  [30006, 'invalid_address'], // a landline
]);

/** By the status of a message (callbacks and look-ups have the same words) and its error code. */
export function twilioNews(status: string, errorCode: number | null): TwilioNews | null {
  switch (status) {
    case 'accepted':
    case 'scheduled':
    case 'queued':
    case 'sending':
    case 'sent':
      return { state: 'sent' };
    case 'delivered':
    case 'read':
      return { state: 'delivered' };
    case 'undelivered':
    case 'failed':
    case 'canceled':
      if (errorCode === VALIDITY_EXPIRED) return { state: 'expired' };
      return { state: 'failed', reason: (errorCode === null ? undefined : REASONS.get(errorCode)) ?? 'provider_rejected' };
    default:
      return null;
  }
}
