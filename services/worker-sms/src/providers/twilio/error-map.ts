import type { SendResult } from '@tidings/channel-worker';
import type { SuppressionReason } from '@tidings/contracts/channels/suppression-reasons';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import {
  EgressBlockedError,
  HttpFailure,
  parseRetryAfterMs,
  type HttpAnswer,
} from '@tidings/egress';

type Refusal =
  | {
      readonly status: 'invalid_address';
      readonly reason: DeliveryReason;
      readonly suppression: SuppressionReason;
    }
  | {
      readonly status: 'permanent' | 'configuration' | 'transient';
      readonly reason: DeliveryReason;
      readonly isOfRecipient?: true;
      readonly isUnmapped?: true;
    }
  | { readonly status: 'rate_limited'; readonly retryAfterMs?: number };

const INVALID: Refusal = {
  status: 'invalid_address',
  reason: 'invalid_address',
  suppression: 'suppressed_bounce',
};
const PERMANENT = { status: 'permanent', reason: 'provider_rejected' } as const satisfies Refusal;
const SENDER = { status: 'configuration', reason: 'provider_rejected' } as const satisfies Refusal;
/** The account may not send to this number, but to others. */
const NUMBER_BARRED: Refusal = { ...SENDER, isOfRecipient: true };
const AUTH: Refusal = { status: 'configuration', reason: 'provider_auth' };

/** Delay after "queue full" for a sender. */
const QUEUE_FULL_RETRY_MS = 5 * 60_000;

/** Twilio's error codes (twilio.com/docs/api/errors) that say more than the HTTP status. */
const BY_CODE: ReadonlyMap<number, Refusal> = new Map<number, Refusal>([
  [21211, INVALID], // not a phone number
  [21214, INVALID], // cannot be reached
  [21217, INVALID], // does not appear to be valid
  [21614, INVALID], // not a mobile number
  [21610, { status: 'invalid_address', reason: 'sms_stop', suppression: 'sms_stop' }],
  [21612, PERMANENT], // no route from this sender to this number
  [21617, { status: 'permanent', reason: 'payload_too_large' }],
  [21602, PERMANENT], // no body
  [21619, PERMANENT], // no text
  [21408, NUMBER_BARRED], // the region is not enabled
  [21606, SENDER], // the sender is not one of the account
  [21659, SENDER], // the sender is not a number of Twilio
  [21212, SENDER], // the sender is no phone number
  [21603, SENDER], // no sender
  [21608, NUMBER_BARRED], // a trial account, a number that is not verified
  [21701, SENDER], // the messaging service does not exist
  [21703, SENDER], // the messaging service has no number
  [30034, SENDER], // the sender is not registered
  [30032, SENDER], // the sender is not verified
  [20003, AUTH],
  [20404, AUTH], // no such account
  [30002, AUTH], // the account is suspended
  [21611, { status: 'rate_limited', retryAfterMs: QUEUE_FULL_RETRY_MS }],
  [20429, { status: 'rate_limited' }],
]);

/**
 * Classifies a failed send: by HTTP status first, by code where it says more. Without a clear
 * response the message may have been accepted: unknown.
 */
export function classifyTwilioFailure(
  error: unknown,
  answer: HttpAnswer | undefined,
  nowMs = Date.now(),
): SendResult {
  if (error instanceof EgressBlockedError) {
    return {
      status: 'configuration',
      reason: 'provider_rejected',
      providerCode: 'egress_refused',
      providerMessage: error.message,
    };
  }
  if (error instanceof HttpFailure) return withoutAnswer(error);
  // Rethrow our own bug; the caller counts it as unknown.
  if (answer === undefined) throw error;

  const code = readCode(error);
  const words = {
    providerCode: String(code ?? answer.status),
    providerMessage:
      error instanceof Error && error.message ? error.message : `HTTP ${answer.status}`,
  };
  const retryAfterMs = parseRetryAfterMs(answer.headers['retry-after'], nowMs);
  const refusal = findRefusal(answer.status, code);
  if (refusal === null) return { status: 'unknown', ...words };
  if (refusal.status !== 'rate_limited' && refusal.status !== 'transient')
    return { ...refusal, ...words };
  return { ...refusal, ...(retryAfterMs === undefined ? {} : { retryAfterMs }), ...words };
}

function withoutAnswer({ isHandedOver, isStartDeclined, code, message }: HttpFailure): SendResult {
  if (isStartDeclined) return { status: 'not_sent' };
  const words = { providerCode: code, providerMessage: message };
  if (isHandedOver) return { status: 'unknown', ...words };
  return {
    status: 'transient',
    reason: code === 'ETIMEDOUT' ? 'provider_timeout' : 'provider_unavailable',
    ...words,
  };
}

/** Null if the outcome is unknown: an unreadable 2xx, or 5xx other than 503. */
function findRefusal(status: number, code: number | undefined): Refusal | null {
  if (status >= 200 && status < 300) return null;
  const known = code === undefined ? undefined : BY_CODE.get(code);
  if (status === 429) return known?.status === 'rate_limited' ? known : { status: 'rate_limited' };
  if (status === 503) return { status: 'transient', reason: 'provider_unavailable' };
  if (status >= 500) return null;
  if (known !== undefined) return known;
  if (status === 401 || status === 403) return AUTH;
  // Not Twilio's API: the configured URL is wrong.
  if (status < 400 || status === 404 || status === 405) return SENDER;
  // Other rejections are permanent: the message was not accepted, and nothing suggests that a retry
  // would be.
  return { ...PERMANENT, isUnmapped: true };
}

function readCode(error: unknown): number | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'number' ? code : undefined;
}
