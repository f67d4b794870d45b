import type { SmsStatusUpdate } from '../callback-provider.ts';

const TTL_EXPIRED = '1360';

type Failure = Omit<Extract<SmsStatusUpdate, { state: 'failed' }>, 'state'>;
const REJECTED: Failure = { reason: 'provider_rejected' };
const UNAVAILABLE: Failure = { reason: 'provider_unavailable' };
const AUTH: Failure = { reason: 'provider_auth' };
const INVALID: Failure = { reason: 'invalid_address', suppression: 'suppressed_bounce' };
/**
 * Codes of failures after acceptance (developer.vonage.com/api-errors/messages). All others mean
 * `provider_rejected`.
 */
const FAILURES: ReadonlyMap<string, Failure> = new Map<string, Failure>([
  ['1000', { reason: 'rate_limited' }],
  ['1241', { reason: 'rate_limited' }],
  ['1030', UNAVAILABLE], // an internal error
  ['1100', UNAVAILABLE], // a failure of communication
  ['1180', UNAVAILABLE], // the phone is out of reach
  ['1220', UNAVAILABLE], // the phone is busy
  ['1230', UNAVAILABLE], // an error of the network
  ['1260', UNAVAILABLE], // the number cannot be reached
  ['1060', AUTH], // the account is barred
  ['1070', AUTH], // no credit left
  ['1090', { reason: 'payload_too_large' }],
  ['1170', INVALID], // not a phone number
  ['1190', INVALID], // the number is no longer used
  ['1300', INVALID], // the number is not of the network
  ['1240', { reason: 'sms_stop', suppression: 'sms_stop' }],
]);

/** Maps a status of Vonage and its error code to a status update; null for an unknown status. */
export function vonageStatusUpdate(
  status: unknown,
  code: string | undefined,
): SmsStatusUpdate | null {
  switch (status) {
    case 'submitted':
      return { state: 'sent' };
    case 'delivered':
    case 'read':
      return { state: 'delivered' };
    case 'rejected':
    case 'undeliverable':
      if (code === TTL_EXPIRED) return { state: 'expired' };
      return {
        state: 'failed',
        ...((code === undefined ? undefined : FAILURES.get(code)) ?? REJECTED),
      };
    default:
      return null;
  }
}
