import type { SendResult } from '@tidings/channel-worker';
import type { SuppressionReason } from '@tidings/contracts/channels/suppression-reasons';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import {
  EgressBlockedError,
  HttpFailure,
  parseRetryAfterMs,
  type HttpAnswer,
} from '@tidings/egress';

/** What a provider's rejection of a message means. */
export type Refusal =
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

export const INVALID: Refusal = {
  status: 'invalid_address',
  reason: 'invalid_address',
  suppression: 'suppressed_bounce',
};
export const STOPPED: Refusal = {
  status: 'invalid_address',
  reason: 'sms_stop',
  suppression: 'sms_stop',
};
export const TOO_LONG: Refusal = { status: 'permanent', reason: 'payload_too_large' };
export const PERMANENT: Refusal = { status: 'permanent', reason: 'provider_rejected' };
/**
 * Not in the error map: the message was not accepted, and nothing suggests that a retry would be.
 */
export const UNMAPPED: Refusal = { ...PERMANENT, isUnmapped: true };
export const SENDER: Refusal = { status: 'configuration', reason: 'provider_rejected' };
/** The account may not send to this number, but to others. */
export const NUMBER_BARRED: Refusal = { ...SENDER, isOfRecipient: true };
export const AUTH: Refusal = { status: 'configuration', reason: 'provider_auth' };
export const LIMITED: Refusal = { status: 'rate_limited' };
export const UNAVAILABLE: Refusal = { status: 'transient', reason: 'provider_unavailable' };

type Words = { readonly providerCode: string; readonly providerMessage: string };

/** The result of an answer. Without a refusal the message may have been accepted: unknown. */
export function resultOf(
  refusal: Refusal | null,
  words: Words,
  { answer, nowMs }: { readonly answer: HttpAnswer; readonly nowMs: number },
): SendResult {
  if (refusal === null) return { status: 'unknown', ...words };
  if (refusal.status !== 'rate_limited' && refusal.status !== 'transient')
    return { ...refusal, ...words };
  const retryAfterMs = parseRetryAfterMs(answer.headers['retry-after'], nowMs);
  return { ...refusal, ...(retryAfterMs === undefined ? {} : { retryAfterMs }), ...words };
}

/** The result of a request without an answer. @throws any other error: our own bug, counted as unknown */
export function resultWithoutAnswer(error: unknown): SendResult {
  if (error instanceof EgressBlockedError) {
    return {
      status: 'configuration',
      reason: 'provider_rejected',
      providerCode: 'egress_refused',
      providerMessage: error.message,
    };
  }
  if (!(error instanceof HttpFailure)) throw error;
  if (error.isStartDeclined) return { status: 'not_sent' };
  const words = { providerCode: error.code, providerMessage: error.message };
  if (error.isHandedOver) return { status: 'unknown', ...words };
  return {
    status: 'transient',
    reason: error.code === 'ETIMEDOUT' ? 'provider_timeout' : 'provider_unavailable',
    ...words,
  };
}
