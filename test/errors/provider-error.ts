import type { Channel } from '@tidings/contracts/channels/channels';
import type { DeliveryReason, DeliveryState } from '@tidings/contracts/push/deliveries';
import type { SendResult } from '@tidings/channel-worker';

/** How to make the sandbox return the error. */
export type Provocation =
  /** A fault of `POST /api/faults`. */
  | { readonly fault: Readonly<Record<string, unknown>> }
  /** Different channel settings. */
  | { readonly settings: Readonly<Record<string, unknown>> }
  /** A host with no listener at the port. */
  | { readonly isUnreachable: true }
  /** An address that the provider has unregistered. */
  | { readonly isGone: true };

/** The effect on the delivery, its address and the application's channel. */
export type Effect = {
  readonly status: SendResult['status'];
  readonly reason: DeliveryReason | null;
  readonly delivery: DeliveryState;
  /** Minimum and maximum delay before the next attempt, in seconds. */
  readonly waitSeconds?: readonly [number, number] | undefined;
  /** Final state when the retries are exhausted; the same state if there are no retries. */
  readonly inTheEnd: DeliveryState;
  readonly address: 'kept' | 'removed' | 'suppressed';
  readonly isChannelPaused: boolean;
};

/** An error of a provider. */
export type ProviderError = {
  readonly channel: Channel;
  /** Of the channel's providers; default: the first. */
  readonly provider?: string;
  readonly signal: string;
  readonly provocation: Provocation;
  readonly effect: Effect;
};

const SETTLED = { address: 'kept', isChannelPaused: false } as const;

/** Permanent for this message. */
export const rejected = (reason: DeliveryReason = 'provider_rejected'): Effect => ({
  status: 'permanent',
  reason,
  delivery: 'failed',
  inTheEnd: 'failed',
  ...SETTLED,
});
/** Permanent for this address. */
export const invalid = (reason: DeliveryReason, address: Effect['address'] = 'kept'): Effect => ({
  status: 'invalid_address',
  reason,
  delivery: 'failed',
  inTheEnd: 'failed',
  ...SETTLED,
  address,
});
/** Retried by the channel's schedule. */
export const failing = (
  waitSeconds: Effect['waitSeconds'],
  reason: DeliveryReason = 'provider_unavailable',
): Effect => ({
  status: 'transient',
  reason,
  delivery: 'retry_wait',
  waitSeconds,
  inTheEnd: 'failed',
  ...SETTLED,
});
/** Retried when the rate limit allows; does not count as an attempt. */
export const limited = (waitSeconds: Effect['waitSeconds'] = [30, 33]): Effect => ({
  status: 'rate_limited',
  reason: 'rate_limited',
  delivery: 'retry_wait',
  waitSeconds,
  inTheEnd: 'retry_wait',
  ...SETTLED,
});
/** Waits until the settings are corrected. */
export const misconfigured = (reason: DeliveryReason, isChannelPaused = true): Effect => ({
  status: 'configuration',
  reason,
  delivery: 'retry_wait',
  waitSeconds: [60, 60],
  inTheEnd: 'retry_wait',
  ...SETTLED,
  isChannelPaused,
});
/** An ambiguous attempt: the outcome is unknown, and it is never sent again. */
export const ambiguous: Effect = {
  status: 'unknown',
  reason: 'outcome_unknown',
  delivery: 'unknown',
  inTheEnd: 'unknown',
  ...SETTLED,
};
/** Accepted first, failure reported later. */
export const reportedLater = (
  delivery: DeliveryState,
  reason: DeliveryReason | null,
  address: Effect['address'] = 'kept',
): Effect => ({ status: 'sent', reason, delivery, inTheEnd: delivery, ...SETTLED, address });
