/** The states of one delivery (one recipient of one campaign). */
export const DELIVERY_STATES = [
  'pending',
  'claimed',
  'sending',
  'retry_wait',
  'waiting',
  'sent',
  'delivered',
  'displayed',
  'opened',
  'clicked',
  'failed',
  'unknown',
  'expired',
  'canceled',
] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Outcome of an attempt, before the next state of its delivery is decided. */
export const ATTEMPT_OUTCOMES = [
  'sent',
  'permanent',
  'invalid_address',
  'transient',
  'rate_limited',
  'configuration',
  'unknown',
  'not_sent',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** Failures known before sending: no message was attempted. */
export const UNREACHABLE_REASONS = [
  'unknown_user',
  'no_address',
  'hashed_only',
  'invalid_address',
  'no_subscription',
  'unsubscribed',
  'suppressed_bounce',
  'suppressed_complaint',
  'sms_stop',
  'channel_not_configured',
  'channel_disabled',
  'left_segment',
] as const;

/** Why a delivery did not succeed (closed list). */
export const DELIVERY_REASONS = [
  ...UNREACHABLE_REASONS,
  'provider_rejected',
  'provider_auth',
  'provider_unavailable',
  'provider_timeout',
  'subscription_gone',
  'payload_too_large',
  'rate_limited',
  'frequency_capped',
  'quiet_hours',
  'spend_cap',
  'template_error',
  'outcome_unknown',
  'internal',
] as const;
export type DeliveryReason = (typeof DELIVERY_REASONS)[number];

/** The report group of each state, and how far a success got. */
export const STATE_GROUPS = {
  pending: 'pending',
  claimed: 'pending',
  sending: 'pending',
  retry_wait: 'pending',
  waiting: 'waiting',
  sent: 'sent',
  delivered: 'delivered',
  displayed: 'displayed',
  opened: 'opened',
  clicked: 'clicked',
  failed: 'failed',
  unknown: 'unknown',
  expired: 'expired',
  canceled: 'canceled',
} as const satisfies Record<DeliveryState, string>;

/** Success states in order; each counts in all states before it. */
export const SUCCESS_STATES = ['sent', 'delivered', 'displayed', 'opened', 'clicked'] as const;
export type SuccessState = (typeof SUCCESS_STATES)[number];

/**
 * Updates to a delivery after it was sent. `opened` and later are actions of a person. `complained`
 * and `unsubscribed` are stored in addition to the state.
 */
export const DELIVERY_UPDATES = [
  'sent',
  'delivered',
  'displayed',
  'opened',
  'clicked',
  'dismissed',
  'failed',
  'expired',
  'bounced',
  'complained',
  'unsubscribed',
] as const;
export type DeliveryUpdateName = (typeof DELIVERY_UPDATES)[number];
