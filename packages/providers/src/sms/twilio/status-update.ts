import type { SmsStatusUpdate } from '../callback-provider.ts';

const VALIDITY_EXPIRED = 30036;

type Failure = Omit<Extract<SmsStatusUpdate, { state: 'failed' }>, 'state'>;
const REJECTED: Failure = { reason: 'provider_rejected' };
/** Carrier error codes (twilio.com/docs/api/errors). All others mean `provider_rejected`. */
const FAILURES: ReadonlyMap<number, Failure> = new Map<number, Failure>([
  [21610, { reason: 'sms_stop', suppression: 'sms_stop' }],
  [30001, { reason: 'provider_unavailable' }], // queue overflow
  [30002, { reason: 'provider_auth' }], // account suspended
  [30003, { reason: 'provider_unavailable' }], // phone unreachable
  [30004, { reason: 'invalid_address', suppression: 'suppressed_bounce' }], // blocked by the recipient
  [30005, { reason: 'invalid_address', suppression: 'suppressed_bounce' }], // unknown number
  [30006, { reason: 'invalid_address', suppression: 'suppressed_bounce' }], // landline
]);

/**
 * Maps a Twilio status and error code to a status update; null for an unknown status. Callbacks and
 * the API use the same statuses.
 */
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
