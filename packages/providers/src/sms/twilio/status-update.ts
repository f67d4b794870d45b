import type { SmsStatusUpdate } from '../callback-provider.ts';

const VALIDITY_EXPIRED = 30036;

type Failure = Omit<Extract<SmsStatusUpdate, { state: 'failed' }>, 'state'>;
const REJECTED: Failure = { reason: 'provider_rejected' };
/** Codes of carriers (twilio.com/docs/api/errors); the rest is a refusal without a better word. */
const FAILURES: ReadonlyMap<number, Failure> = new Map<number, Failure>([
  [21610, { reason: 'sms_stop', suppression: 'sms_stop' }],
  [30001, { reason: 'provider_unavailable' }], // the queue overflowed
  [30002, { reason: 'provider_auth' }], // the account is suspended
  [30003, { reason: 'provider_unavailable' }], // the phone is off or out of reach
  [30004, { reason: 'invalid_address', suppression: 'suppressed_bounce' }], // takes no messages from us
  [30005, { reason: 'invalid_address', suppression: 'suppressed_bounce' }], // nobody has this number
  [30006, { reason: 'invalid_address', suppression: 'suppressed_bounce' }], // a landline
]);

/** What Twilio says of a message, by its status (callbacks and look-ups have the same words) and its error code; null while it says nothing new. */
export function twilioStatusUpdate(
  status: string,
  errorCode: number | null,
): SmsStatusUpdate | null {
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
      return {
        state: 'failed',
        ...((errorCode === null ? undefined : FAILURES.get(errorCode)) ?? REJECTED),
      };
    default:
      return null;
  }
}
