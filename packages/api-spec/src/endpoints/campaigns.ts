import {
  ATTEMPT_OUTCOMES,
  CAMPAIGN_ACTIONS,
  CAMPAIGN_SOURCES,
  CAMPAIGN_STATUSES,
  CAMPAIGN_VERDICTS,
  CHANNELS,
  PushRequest,
  messageSchema,
  DELIVERY_REASONS,
  DELIVERY_STATES,
  type CampaignAction,
  type PushMessage,
  type Purpose,
  type CampaignVerdict,
  type DeliveryReason,
} from '@tidings/contracts';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import {
  Attempts,
  Count,
  CustomUserId,
  DeviceReference,
  Instant,
  NullableInstant,
  NullableString,
  Text,
  Uuid,
  oneOf,
  pageQuery,
  pageSchema,
} from '../schemas.ts';
import { PushAnswerSchema } from '../gateway-answers.ts';
import {
  IDEMPOTENCY_KEY,
  PUSH_ANSWERS,
  PUSH_ANSWER_EXAMPLE,
  PUSH_ANSWER_HEADERS,
  PUSH_EXAMPLE,
  PUSH_EXAMPLES,
  PUSH_RULES,
} from '../push-shared.ts';
import { OUTCOME_GROUP_NAMES, type OutcomeGroup } from '../outcome-groups.ts';
import { CAMPAIGN_EXAMPLE, DELIVERY_EXAMPLE } from '../examples/campaigns.ts';

export const Campaign = Type.Object(
  {
    campaignId: Uuid,
    channel: oneOf(CHANNELS),
    purpose: Type.Unsafe<Purpose>({ type: 'string' }),
    source: oneOf(CAMPAIGN_SOURCES),
    status: oneOf(CAMPAIGN_STATUSES),
    message: Type.Unsafe<PushMessage>({
      title: 'CampaignMessage',
      description: 'As it was sent.',
      anyOf: CHANNELS.map(messageSchema),
    }),
    recipients: Type.Object({ requested: Count, unique: Count }),
    recipientsDeletedAt: Type.Unsafe<number | null>({
      ...NullableInstant,
      description:
        'Since when deliveries and event log are past their retention, and gone; the counts stay.',
    }),
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
    result: Type.Object({
      verdict: Type.Unsafe<CampaignVerdict | null>({
        enum: [...CAMPAIGN_VERDICTS, null],
        description: 'How it ended; null until it is `completed`.',
      }),
      ...Attempts,
    }),
    failures: Type.Object(
      Object.fromEntries(DELIVERY_REASONS.map((reason) => [reason, Type.Optional(Count)])),
    ),
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

const Address = Type.Object(
  {
    addressNo: Count,
    deviceRef: Type.Unsafe<string | null>({ ...DeviceReference, type: ['string', 'null'] }),
    status: oneOf(DELIVERY_STATES),
    reason: Type.Unsafe<DeliveryReason | null>({ enum: [...DELIVERY_REASONS, null] }),
    providerCode: NullableString,
    providerMessage: NullableString,
    attempts: Count,
    sentAt: NullableInstant,
    updatedAt: Instant,
  },
  { title: 'Address' },
);

const Delivery = Type.Object(
  {
    deliveryId: Uuid,
    customUserId: CustomUserId,
    serviceUserId: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' }),
    status: oneOf(DELIVERY_STATES),
    reason: Type.Unsafe<DeliveryReason | null>({ enum: [...DELIVERY_REASONS, null] }),
    providerCode: NullableString,
    providerMessage: NullableString,
    attempts: Count,
    createdAt: Instant,
    sentAt: NullableInstant,
    deliveredAt: NullableInstant,
    displayedAt: NullableInstant,
    openedAt: NullableInstant,
    clickedAt: NullableInstant,
    updatedAt: Instant,
    addresses: Type.Optional(
      Type.Array(Address, {
        description:
          'Of pushes: what became of each device of the recipient, of which the delivery is the best.',
      }),
    ),
  },
  { title: 'Delivery' },
);

const CampaignEvent = Type.Object(
  {
    seq: Type.String({ pattern: '^\\d+$' }),
    at: Instant,
    type: Type.String(),
    deliveryId: Type.Optional(Uuid),
    addressNo: Type.Optional(Count),
    attempt: Type.Optional(Count),
    status: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String()),
    providerCode: Type.Optional(Type.String()),
    channel: Type.Optional(oneOf(CHANNELS)),
    detail: Type.Optional(
      Type.String({ description: 'What the provider said, in its own words.' }),
    ),
    fence: Type.Optional(Count),
    markedSendingAt: Type.Optional(Instant),
    outcome: Type.Optional(oneOf(ATTEMPT_OUTCOMES)),
    durationMs: Type.Optional(Count),
    traceId: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{32}$',
        description: 'Of the request that the campaign came with.',
      }),
    ),
  },
  { title: 'CampaignEvent' },
);

export const campaign = {
  access: 'reader',
  parameters: { campaignId: Uuid },
  errorStatuses: [404],
} as const;

export const listCampaignsEndpoint = endpoint({
  name: 'listCampaigns',
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
  answer: {
    status: 200,
    description: 'A page of campaigns.',
    schema: pageSchema(Campaign),
    example: { items: [CAMPAIGN_EXAMPLE], nextCursor: null },
  },
});

export const readCampaignEndpoint = endpoint({
  name: 'readCampaign',
  ...campaign,
  method: 'GET',
  path: 'campaigns/:campaignId',
  summary: 'A campaign with its counts, failures by reason and timing',
  answer: {
    status: 200,
    description: 'The campaign.',
    schema: Campaign,
    example: CAMPAIGN_EXAMPLE,
  },
});

const ACTIONS = {
  pause: {
    name: 'pauseCampaign',
    summary: 'Stops sending until it is resumed',
    description:
      'Nothing is sent any more, save what is in flight. What waits stays `pending`, and may expire meanwhile. 409 unless it is `sending`.',
    example: { ...CAMPAIGN_EXAMPLE, status: 'paused' },
  },
  resume: {
    name: 'resumeCampaign',
    summary: 'Goes on with a paused campaign',
    description: 'What has expired meanwhile is not sent. 409 unless it is `paused`.',
    example: { ...CAMPAIGN_EXAMPLE, status: 'sending' },
  },
  cancel: {
    name: 'cancelCampaign',
    summary: 'Ends a campaign',
    description:
      'Whoever was not sent anything becomes `canceled`: in the counts at once where the recipient had no delivery yet, else within moments. What is in flight gets its outcome. 409 unless it is `queued`, `sending` or `paused`.',
    example: { ...CAMPAIGN_EXAMPLE, status: 'canceled' },
  },
  'retry-failed': {
    name: 'retryFailedDeliveries',
    summary: 'Tries failures once more',
    description:
      'Those of deliveries that no provider ever accepted, with attempts and time to live as at the beginning; news of earlier attempts change nothing any more. 409 unless it is `completed`, there are such failures, and the channel sends.',
    example: { ...CAMPAIGN_EXAMPLE, status: 'sending' },
  },
} as const satisfies Record<
  CampaignAction,
  {
    readonly name: string;
    readonly summary: string;
    readonly description: string;
    readonly example: unknown;
  }
>;

export const controlEndpoints = CAMPAIGN_ACTIONS.map((action) => ({
  action,
  endpoint: endpoint({
    ...campaign,
    name: ACTIONS[action].name,
    method: 'POST',
    path: `campaigns/:campaignId/${action}`,
    summary: ACTIONS[action].summary,
    description: ACTIONS[action].description,
    answer: {
      status: 200,
      description: 'The campaign after it.',
      schema: Campaign,
      example: ACTIONS[action].example,
    },
    errorStatuses: [404, 409],
  }),
}));

export const listDeliveriesEndpoint = endpoint({
  name: 'listDeliveries',
  ...campaign,
  method: 'GET',
  path: 'campaigns/:campaignId/deliveries',
  summary: 'What became of each recipient',
  description:
    'In the order in which the push named them. A page costs a bounded look: with a filter that few pass it may have fewer items than the limit, or none, and still a nextCursor.',
  query: Type.Object({
    ...pageQuery,
    status: Type.Optional(oneOf(DELIVERY_STATES)),
    group: Type.Optional(
      Type.Unsafe<OutcomeGroup>({
        ...oneOf(OUTCOME_GROUP_NAMES),
        description: '`failed` is `failed_attempts` and `not_reachable` together.',
      }),
    ),
    reason: Type.Optional(oneOf(DELIVERY_REASONS)),
    customUserId: Type.Optional(Text),
  }),
  answer: {
    status: 200,
    description: 'A page of deliveries.',
    schema: pageSchema(Delivery),
    example: { items: [DELIVERY_EXAMPLE], nextCursor: null },
  },
});

export const listCampaignEventsEndpoint = endpoint({
  name: 'listCampaignEvents',
  ...campaign,
  method: 'GET',
  path: 'campaigns/:campaignId/events',
  summary: 'The event log of a campaign, oldest first',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of the log.',
    schema: pageSchema(CampaignEvent),
    example: {
      items: [
        { seq: '1', at: 1_795_256_517_797, type: 'campaign.queued' },
        {
          seq: '7',
          at: 1_795_256_518_052,
          type: 'delivery.sent',
          deliveryId: DELIVERY_EXAMPLE.deliveryId,
          attempt: 1,
          status: 'sent',
          providerCode: '250',
          detail: '250 Ok',
          fence: 1,
          markedSendingAt: 1_795_256_518_009,
          outcome: 'sent',
          durationMs: 41,
          traceId: '0af7651916cd43dd8448eb211c80319c',
        },
      ],
      nextCursor: null,
    },
  },
});

export const sendCampaignEndpoint = endpoint({
  name: 'sendCampaign',
  method: 'POST',
  path: 'campaigns',
  access: 'reader',
  summary: 'Sends a message to users; 200 means that the campaign is durable',
  description: `As \`POST /push\`, and not with a Server key alone: its body, its answers, its rate. The campaign's source is \`api\`. ${PUSH_RULES}`,
  headers: [IDEMPOTENCY_KEY],
  body: PushRequest,
  bodyExample: PUSH_EXAMPLE,
  bodyExamples: PUSH_EXAMPLES,
  recorded: ['channel', 'purpose'],
  answer: {
    status: 200,
    description: PUSH_ANSWERS,
    schema: PushAnswerSchema,
    example: PUSH_ANSWER_EXAMPLE,
    headers: PUSH_ANSWER_HEADERS,
  },
  errorStatuses: [409, 429],
});
