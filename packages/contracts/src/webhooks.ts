/** Events of campaign webhooks; `webhook.ping` is the test event. */
export const WEBHOOK_KINDS = [
  'campaign.queued',
  'campaign.started',
  'campaign.completed',
  'campaign.failed',
  'campaign.canceled',
  'message.sent',
  'message.delivered',
  'message.displayed',
  'message.opened',
  'message.clicked',
  'message.dismissed',
  'message.failed',
  'message.bounced',
  'message.complained',
  'message.expired',
  'message.unknown',
  'user.unsubscribed',
  'user.resubscribed',
  'subscription.created',
  'subscription.removed',
  'webhook.ping',
] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/**
 * Why an endpoint gets no events: disabled manually, it answered 410, or only failures for days.
 */
export const WEBHOOK_DISABLED_REASONS = ['by_hand', 'gone', 'failing'] as const;
export type WebhookDisabledReason = (typeof WEBHOOK_DISABLED_REASONS)[number];

/** State of one event for one endpoint. */
export const WEBHOOK_DELIVERY_STATES = ['pending', 'succeeded', 'failed'] as const;
export type WebhookDeliveryState = (typeof WEBHOOK_DELIVERY_STATES)[number];

/** Why a delivery failed for good. */
export const WEBHOOK_FAILURE_REASONS = ['attempts_exhausted', 'gone', 'endpoint_disabled'] as const;
export type WebhookFailureReason = (typeof WEBHOOK_FAILURE_REASONS)[number];

/** Why an attempt got no response. */
export const WEBHOOK_ATTEMPT_ERRORS = [
  'address_refused',
  'name_not_found',
  'connection_refused',
  'connection_lost',
  'tls_failed',
  'timeout',
  'invalid_answer',
] as const;
export type WebhookAttemptError = (typeof WEBHOOK_ATTEMPT_ERRORS)[number];

/** One call of an endpoint. */
export type WebhookAttempt = {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly durationMs: number;
  /** Status of the response, if there was one. */
  readonly statusCode?: number;
  readonly error?: WebhookAttemptError;
};

/** The request body. Its `id` is also the `webhook-id`, the same for every attempt. */
export type WebhookEvent = {
  readonly id: string;
  readonly type: WebhookKind;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly applicationId: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** Hours for which the previous secret also signs after a rotation. */
export const WEBHOOK_ROTATION_HOURS = 24;
