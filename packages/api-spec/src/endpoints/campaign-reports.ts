import { BOUNCE_CLASSES } from '@tidings/contracts/push/bounces';
import { DELIVERY_REASONS } from '@tidings/contracts/push/deliveries';
import { WEBHOOK_DELIVERY_STATES, WEBHOOK_KINDS } from '@tidings/contracts/webhooks';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import {
  Count,
  CustomUserId,
  Instant,
  NullableInstant,
  Uuid,
  oneOf,
  pageQuery,
  pageSchema,
} from '../schemas.ts';
import { CAMPAIGN_EXAMPLE, DELIVERY_EXAMPLE } from '../examples/campaigns.ts';
import { FUNNEL_STEPS } from '../funnel-steps.ts';
import { Campaign, campaign } from './campaigns.ts';

const Report = Type.Object(
  {
    campaign: Campaign,
    funnel: Type.Array(
      Type.Object({
        step: oneOf(FUNNEL_STEPS),
        count: Count,
        isReported: Type.Boolean({
          description:
            'Whether the channel reports this step. Otherwise the count is derived: `delivered` of e-mail from those sent and not bounced, others from later steps.',
        }),
      }),
      { description: 'Each step counts the recipients that reached it or a later one.' },
    ),
    failures: Type.Array(
      Type.Object({
        reason: oneOf(DELIVERY_REASONS),
        count: Count,
        summary: Type.String(),
        remedy: Type.String(),
      }),
      { description: 'Most frequent reason first.' },
    ),
    bounces: Type.Array(
      Type.Object({
        class: oneOf(BOUNCE_CLASSES),
        count: Count,
        summary: Type.String(),
        remedy: Type.String(),
      }),
      { description: 'Failed e-mails by what their servers meant, the most frequent first.' },
    ),
    accounts: Type.Array(
      Type.Object(
        { name: Type.String(), sent: Count, delivered: Count, failed: Count, unknown: Count },
        { title: 'AccountCounts' },
      ),
      { description: 'By the account of the last attempt; empty while the channel has one.' },
    ),
    perSecond: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'Messages sent per second, from the first to the last send; null before that.',
    }),
  },
  { title: 'CampaignReport' },
);

export const readReportEndpoint = endpoint({
  name: 'readCampaignReport',
  ...campaign,
  method: 'GET',
  path: 'campaigns/:campaignId/report',
  summary: 'Read the report of a campaign: funnel, failures and remedies',
  answer: {
    status: 200,
    description: 'The report.',
    schema: Report,
    example: {
      campaign: CAMPAIGN_EXAMPLE,
      funnel: FUNNEL_STEPS.map((step, index) => ({
        step,
        count: index < 2 ? 2 : index < 4 ? 1 : 0,
        isReported: step !== 'delivered' && step !== 'displayed',
      })),
      failures: [
        {
          reason: 'unknown_user',
          count: 1,
          summary: 'No user with this ID is registered.',
          remedy: 'Register the user, or remove the ID from the recipients.',
        },
      ],
      bounces: [],
      accounts: [],
      perSecond: null,
    },
  },
});

const CampaignWebhook = Type.Object(
  {
    id: Uuid,
    webhookId: Uuid,
    url: Type.String(),
    eventId: Type.String(),
    type: oneOf(WEBHOOK_KINDS),
    occurredAt: Instant,
    deliveryId: Type.Optional(Uuid),
    customUserId: Type.Optional(CustomUserId),
    status: oneOf(WEBHOOK_DELIVERY_STATES),
    attempts: Count,
    settledAt: NullableInstant,
  },
  { title: 'CampaignWebhook' },
);

export const listCampaignWebhooksEndpoint = endpoint({
  name: 'listCampaignWebhooks',
  ...campaign,
  method: 'GET',
  path: 'campaigns/:campaignId/webhooks',
  summary: 'List webhook deliveries of a campaign, oldest first',
  description:
    'Each page scans a bounded number of rows. It may have fewer items than `limit`, or none, and still a `nextCursor`.',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of events.',
    schema: pageSchema(CampaignWebhook),
    example: {
      items: [
        {
          id: '01a1fda0-b111-7000-8000-000000000011',
          webhookId: '01a1fda0-a111-7000-8000-000000000010',
          url: 'https://shop.example/tidings',
          eventId: 'evt_5f2c0a4be1d34c9f8a7b6c5d4e3f2a1b',
          type: 'message.sent',
          occurredAt: 1_795_256_518_052,
          deliveryId: DELIVERY_EXAMPLE.deliveryId,
          customUserId: 'ada',
          status: 'succeeded',
          attempts: 1,
          settledAt: 1_795_256_518_152,
        },
      ],
      nextCursor: null,
    },
  },
});
