import type { Channel, DeliveryReason, DeliveryState } from '@tidings/contracts';
import type { SendResult } from '@tidings/channel-worker';

/** How the sandbox is brought to say it. */
export type Provocation =
  /** A fault of `POST /api/faults`. */
  | { readonly fault: Readonly<Record<string, unknown>> }
  /** Settings of the channel that differ. */
  | { readonly settings: Readonly<Record<string, unknown>> }
  /** A host at whose port nobody listens. */
  | { readonly isAway: true }
  /** The address is one that the provider does not know any more. */
  | { readonly isGone: true };

/** What comes of it: of the recipient, of his address, and of the channel of the application. */
export type Effect = {
  readonly status: SendResult['status'];
  readonly reason: DeliveryReason | null;
  readonly delivery: DeliveryState;
  /** The least and the longest wait before the next try, in seconds. */
  readonly waitSeconds?: readonly [number, number];
  /** What it comes to when its time for retries is over; the same as now where it is not tried again. */
  readonly inTheEnd: DeliveryState;
  readonly address: 'kept' | 'removed' | 'suppressed';
  readonly isChannelPaused: boolean;
};

/** One error of a provider. */
export type ProviderError = {
  readonly channel: Channel;
  readonly signal: string;
  readonly provocation: Provocation;
  readonly effect: Effect;
};

const SETTLED = { address: 'kept', isChannelPaused: false } as const;

/** Never for this message. */
export const rejected = (reason: DeliveryReason = 'provider_rejected'): Effect => ({
  status: 'permanent',
  reason,
  delivery: 'failed',
  inTheEnd: 'failed',
  ...SETTLED,
});
/** Never for this address. */
export const invalid = (reason: DeliveryReason, address: Effect['address'] = 'kept'): Effect => ({
  status: 'invalid_address',
  reason,
  delivery: 'failed',
  inTheEnd: 'failed',
  ...SETTLED,
  address,
});
/** Tried again, by the channel's schedule. */
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
/** Tried again when there is room, at no cost. */
export const limited = (waitSeconds: Effect['waitSeconds'] = [30, 33]): Effect => ({
  status: 'rate_limited',
  reason: 'rate_limited',
  delivery: 'retry_wait',
  waitSeconds,
  inTheEnd: 'retry_wait',
  ...SETTLED,
});
/** Kept until somebody mends the settings. */
export const misconfigured = (reason: DeliveryReason, isChannelPaused = true): Effect => ({
  status: 'configuration',
  reason,
  delivery: 'retry_wait',
  waitSeconds: [60, 60],
  inTheEnd: 'retry_wait',
  ...SETTLED,
  isChannelPaused,
});
/** Nobody knows, and it is never sent again on doubt. */
export const ambiguous: Effect = {
  status: 'unknown',
  reason: 'outcome_unknown',
  delivery: 'unknown',
  inTheEnd: 'unknown',
  ...SETTLED,
};
/** Taken first, and told later. */
export const reportedLater = (
  delivery: DeliveryState,
  reason: DeliveryReason | null,
  address: Effect['address'] = 'kept',
): Effect => ({ status: 'sent', reason, delivery, inTheEnd: delivery, ...SETTLED, address });
