import { CAMPAIGN_SOURCES, CAMPAIGN_STATUSES, CHANNELS, DELIVERY_REASONS, DELIVERY_STATES } from '@tidings/contracts';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Count, CustomUserId, Instant, NullableInstant, NullableString, Text, Uuid, oneOf, pageQuery, pageSchema } from '../schemas.ts';
import { CAMPAIGN_EXAMPLE, DELIVERY_EXAMPLE } from './examples.ts';

const Campaign = Type.Object(
  {
    campaignId: Uuid,
    channel: oneOf(CHANNELS),
    purpose: Type.String(),
    source: oneOf(CAMPAIGN_SOURCES),
    status: oneOf(CAMPAIGN_STATUSES),
    message: Type.Unsafe<object>({ type: 'object', description: 'As it was sent.' }),
    recipients: Type.Object({ requested: Count, unique: Count }),
    counts: Type.Object({
      total: Count,
      pending: Count,
      waiting: Count,
      sent: Count,
      delivered: Count,
      displayed: Count,
      opened: Count,
      clicked: Count,
      successful: Count,
      failed: Count,
      unknown: Count,
      expired: Count,
      canceled: Count,
      unsubscribed: Count,
      complained: Count,
    }),
    failures: Type.Object(Object.fromEntries(DELIVERY_REASONS.map((reason) => [reason, Type.Optional(Count)]))),
    timing: Type.Object({
      createdAt: Instant,
      startedAt: NullableInstant,
      firstSentAt: NullableInstant,
      lastSentAt: NullableInstant,
      completedAt: NullableInstant,
      durationMs: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
      p50Ms: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
      p95Ms: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    }),
    createdBy: Type.String(),
    requestId: Uuid,
  },
  { title: 'Campaign' },
);

const Delivery = Type.Object(
  {
    deliveryId: Uuid,
    customUserId: CustomUserId,
    serviceUserId: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' }),
    status: oneOf(DELIVERY_STATES),
    reason: Type.Unsafe<string | null>({ enum: [...DELIVERY_REASONS, null] }),
    providerCode: NullableString,
    providerMessage: NullableString,
    attempts: Count,
    createdAt: Instant,
    sentAt: NullableInstant,
    deliveredAt: NullableInstant,
    updatedAt: Instant,
  },
  { title: 'Delivery' },
);

const CampaignEvent = Type.Object(
  {
    seq: Type.String({ pattern: '^\\d+$' }),
    at: Instant,
    type: Type.String(),
    deliveryId: Type.Optional(Uuid),
    attempt: Type.Optional(Count),
    status: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String()),
    providerCode: Type.Optional(Type.String()),
    detail: Type.Optional(Type.String()),
  },
  { title: 'CampaignEvent' },
);

const campaign = { access: 'reader', parameters: { campaignId: Uuid }, refusals: [404] } as const;

export const listCampaignsEndpoint = endpoint({
  method: 'GET',
  path: 'campaigns',
  access: 'reader',
  summary: 'Campaigns, newest first',
  query: Type.Object({
    ...pageQuery,
    channel: Type.Optional(oneOf(CHANNELS)),
    status: Type.Optional(oneOf(CAMPAIGN_STATUSES)),
    source: Type.Optional(oneOf(CAMPAIGN_SOURCES)),
  }),
  answer: { status: 200, description: 'A page of campaigns.', schema: pageSchema(Campaign), example: { items: [CAMPAIGN_EXAMPLE], nextCursor: null } },
});

export const readCampaignEndpoint = endpoint({
  ...campaign,
  method: 'GET',
  path: 'campaigns/:campaignId',
  summary: 'A campaign with its counts, failures by reason and timing',
  answer: { status: 200, description: 'The campaign.', schema: Campaign, example: CAMPAIGN_EXAMPLE },
});

export const listDeliveriesEndpoint = endpoint({
  ...campaign,
  method: 'GET',
  path: 'campaigns/:campaignId/deliveries',
  summary: 'What became of each recipient',
  query: Type.Object({
    ...pageQuery,
    status: Type.Optional(oneOf(DELIVERY_STATES)),
    reason: Type.Optional(oneOf(DELIVERY_REASONS)),
    customUserId: Type.Optional(Text),
  }),
  answer: { status: 200, description: 'A page of deliveries.', schema: pageSchema(Delivery), example: { items: [DELIVERY_EXAMPLE], nextCursor: null } },
});

export const listCampaignEventsEndpoint = endpoint({
  ...campaign,
  method: 'GET',
  path: 'campaigns/:campaignId/events',
  summary: 'The event log of a campaign, oldest first',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of the log.',
    schema: pageSchema(CampaignEvent),
    example: { items: [{ seq: '1', at: 1_795_256_517_797, type: 'campaign.queued' }], nextCursor: null },
  },
});
