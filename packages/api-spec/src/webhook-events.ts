import { CHANNELS } from '@tidings/contracts/channels/channels';
import { WEBHOOK_KINDS, type WebhookKind } from '@tidings/contracts/webhooks';
import { Type, type TSchema } from 'typebox';
import { BounceSchema } from './bounce-schema.ts';
import { NullableString, Uuid, oneOf } from './schemas.ts';

/** Webhook events with the same kind of data. */
export type WebhookGroup = {
  readonly name: string;
  readonly summary: string;
  readonly kinds: readonly WebhookKind[];
  readonly data: TSchema;
  readonly example: object;
};

const user = {
  customUserId: Type.Unsafe<string | null>({
    ...NullableString,
    description: 'Your id of the user; null for an anonymous user.',
  }),
  serviceUserId: NullableString,
};

/** Of a message that an automation sends, or of the campaign that it appends to. */
const automation = (fields: Record<string, TSchema> = {}) =>
  Type.Optional(
    Type.Object({ slug: Type.Optional(Type.String()), node: Type.String(), ...fields }),
  );

const MessageData = Type.Object(
  {
    campaignId: Uuid,
    deliveryId: Uuid,
    channel: oneOf(CHANNELS),
    ...user,
    status: NullableString,
    attempt: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    reason: Type.Optional(Type.String()),
    providerCode: Type.Optional(Type.String()),
    bounce: Type.Optional(BounceSchema),
    automation: automation({ runId: Type.Optional(Uuid) }),
  },
  { title: 'MessageWebhookData' },
);
const MESSAGE_EXAMPLE = {
  campaignId: '01a1fda0-84a5-72c8-802b-8cdeabd134bc',
  deliveryId: '01a1fda0-9111-7000-8000-000000000009',
  channel: 'EMAIL',
  customUserId: 'ada',
  serviceUserId: null,
  status: 'failed',
  attempt: 1,
  reason: 'provider_rejected',
  providerCode: '550',
};

const startingWith = (prefix: string): readonly WebhookKind[] =>
  WEBHOOK_KINDS.filter((kind) => kind.startsWith(prefix));

export const WEBHOOK_GROUPS: readonly WebhookGroup[] = [
  {
    name: 'Campaign',
    summary: 'A campaign started or ended',
    kinds: startingWith('campaign.'),
    data: Type.Object(
      {
        campaignId: Uuid,
        channel: oneOf(CHANNELS),
        status: Type.String(),
        reason: Type.Optional(Type.String()),
        automation: automation(),
      },
      { title: 'CampaignWebhookData' },
    ),
    example: {
      campaignId: '01a1fda0-84a5-72c8-802b-8cdeabd134bc',
      channel: 'EMAIL',
      status: 'completed',
    },
  },
  {
    name: 'Message',
    summary: 'The status of a message to one recipient changed',
    kinds: startingWith('message.'),
    data: MessageData,
    example: MESSAGE_EXAMPLE,
  },
  {
    name: 'User',
    summary: 'A user unsubscribed or resubscribed through a link in a message',
    kinds: startingWith('user.'),
    data: MessageData,
    example: {
      campaignId: MESSAGE_EXAMPLE.campaignId,
      deliveryId: MESSAGE_EXAMPLE.deliveryId,
      channel: 'EMAIL',
      customUserId: 'ada',
      serviceUserId: null,
      status: 'sent',
      attempt: 1,
    },
  },
  {
    name: 'Subscription',
    summary: 'A device became reachable or unreachable',
    kinds: startingWith('subscription.'),
    data: Type.Object(
      { channel: oneOf(CHANNELS), ...user, status: oneOf(['subscribed', 'removed']) },
      { title: 'SubscriptionWebhookData' },
    ),
    example: {
      channel: 'WEB_PUSH',
      customUserId: null,
      serviceUserId: '3f2a9f6e-8f8b-4d7c-9c55-1f0a52a3c001',
      status: 'subscribed',
    },
  },
  {
    name: 'Ping',
    summary: 'A test event',
    kinds: ['webhook.ping'],
    data: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
    example: {},
  },
];

/**
 * The request body that a webhook endpoint receives. It has no title: oapi-codegen drops named
 * schemas that only webhooks refer to.
 */
export const webhookEventSchema = ({ kinds, data }: WebhookGroup) =>
  Type.Object({
    id: Type.String({
      description: 'Unique per event. Repeats have the same id: process each id once.',
    }),
    type: oneOf(kinds),
    timestamp: Type.String({ description: 'Event time, ISO 8601.' }),
    applicationId: Uuid,
    data,
  });
