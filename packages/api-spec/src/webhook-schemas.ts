import { CHANNELS } from '@tidings/contracts/channels/channels';
import { LIMITS } from '@tidings/contracts/limits';
import { STORABLE_LINE } from '@tidings/contracts/storable-text';
import {
  WEBHOOK_ATTEMPT_ERRORS,
  WEBHOOK_DELIVERY_STATES,
  WEBHOOK_DISABLED_REASONS,
  WEBHOOK_FAILURE_REASONS,
  WEBHOOK_KINDS,
} from '@tidings/contracts/webhooks';
import { Type } from 'typebox';
import { WEBHOOK_GROUPS } from './webhook-events.ts';
import { Count, Instant, NullableInstant, NullableString, Uuid, oneOf } from './schemas.ts';

const DESCRIPTION_CHARS_MAX = 200;

/** An enum of strings, or null. */
const nullableOneOf = <T extends string>(values: readonly T[]) =>
  Type.Unsafe<T | null>({ type: ['string', 'null'], enum: [...values, null] });

/** The fields of an endpoint that callers set. */
export const WEBHOOK_FIELDS = {
  url: Type.String({
    minLength: 1,
    maxLength: LIMITS.webhookUrlCharsMax,
    pattern: '^https?://[^\\s\\p{Cc}\\ud800-\\udfff]+$',
    description: 'an http or https URL without user, password or fragment',
  }),
  description: Type.String({
    maxLength: DESCRIPTION_CHARS_MAX,
    pattern: STORABLE_LINE,
    description: 'one line of text',
  }),
  kinds: Type.Array(oneOf(WEBHOOK_KINDS.filter((kind) => kind !== 'webhook.ping')), {
    maxItems: WEBHOOK_KINDS.length,
    description: 'Event kinds to send; empty: all.',
  }),
  channels: Type.Array(oneOf(CHANNELS), {
    maxItems: CHANNELS.length,
    description: 'Channels to send events for; empty: all.',
  }),
};

const FIELDS = {
  id: Uuid,
  ...WEBHOOK_FIELDS,
  status: oneOf(['enabled', 'disabled']),
  disabledReason: nullableOneOf(WEBHOOK_DISABLED_REASONS),
  disabledAt: NullableInstant,
  failingSince: {
    ...NullableInstant,
    description:
      'Since when all attempts have failed, in milliseconds since the epoch; null: not failing.',
  },
  previousSecretUntil: {
    ...NullableInstant,
    description: 'Until when requests are also signed with the previous secret.',
  },
  createdAt: Instant,
  updatedAt: Instant,
};
export const Webhook = Type.Object(FIELDS, { title: 'Webhook' });
export const WebhookWithSecret = Type.Object({
  ...FIELDS,
  secret: Type.String({ description: '`whsec_` and base64. Shown only once.' }),
});

const Attempt = Type.Object({
  at: Instant,
  durationMs: Count,
  statusCode: Type.Optional(Type.Integer()),
  error: Type.Optional(oneOf(WEBHOOK_ATTEMPT_ERRORS)),
});

export const WebhookDelivery = Type.Object(
  {
    id: Uuid,
    eventId: Type.String({ description: 'The event id, also sent as the `webhook-id` header.' }),
    type: oneOf(WEBHOOK_KINDS),
    occurredAt: Instant,
    data: Type.Unsafe<object>({
      description: 'The data of the event.',
      anyOf: [...new Set(WEBHOOK_GROUPS.map(({ data }) => data))],
    }),
    status: oneOf(WEBHOOK_DELIVERY_STATES),
    reason: nullableOneOf(WEBHOOK_FAILURE_REASONS),
    attempts: Count,
    attemptLog: Type.Array(Attempt),
    lastAnswer: {
      ...NullableString,
      description: 'The start of the last response body, with likely personal data removed.',
    },
    nextAttemptAt: NullableInstant,
    replayOf: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'uuid',
      description: 'The delivery that this one replays.',
    }),
    createdAt: Instant,
    settledAt: NullableInstant,
  },
  { title: 'WebhookDelivery' },
);

export const WebhookTest = Type.Object({
  ok: Type.Boolean(),
  deliveryId: Uuid,
  eventId: Type.String(),
  status: oneOf(WEBHOOK_DELIVERY_STATES),
  statusCode: Type.Optional(Type.Integer()),
  error: Type.Optional(oneOf(WEBHOOK_ATTEMPT_ERRORS)),
  durationMs: Type.Optional(Count),
});

export const WEBHOOK_EXAMPLE = {
  id: '01a1fd9f-3333-7000-8000-000000000003',
  url: 'https://shop.example/hooks/tidings',
  description: 'Order service',
  kinds: ['message.failed', 'campaign.completed'],
  channels: ['EMAIL'],
  status: 'enabled',
  disabledReason: null,
  disabledAt: null,
  failingSince: null,
  previousSecretUntil: null,
  createdAt: 1_795_256_400_000,
  updatedAt: 1_795_256_400_000,
};
export const SECRET_EXAMPLE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

export const WEBHOOK_DELIVERY_EXAMPLE = {
  id: '01a1fda0-a111-7000-8000-000000000011',
  eventId: 'evt_5f2c0a4be1d34c9f8a7b6c5d4e3f2a1b',
  type: 'message.failed',
  occurredAt: 1_795_256_518_000,
  data: {
    campaignId: '01a1fda0-84a5-72c8-802b-8cdeabd134bc',
    deliveryId: '01a1fda0-9111-7000-8000-000000000009',
    channel: 'EMAIL',
    customUserId: 'ada',
    serviceUserId: null,
    status: 'failed',
    attempt: 1,
    reason: 'provider_rejected',
    providerCode: '550',
  },
  status: 'pending',
  reason: null,
  attempts: 1,
  attemptLog: [{ at: 1_795_256_518_100, durationMs: 41, statusCode: 503 }],
  lastAnswer: 'Service Unavailable',
  nextAttemptAt: 1_795_256_523_900,
  replayOf: null,
  createdAt: 1_795_256_518_000,
  settledAt: null,
};
