import { CHANNELS } from '@tidings/contracts/channels/channels';
import { BOUNCE_CLASSES } from '@tidings/contracts/push/bounces';
import {
  CAMPAIGN_ACTIONS,
  CAMPAIGN_SOURCES,
  CAMPAIGN_STATUSES,
  CAMPAIGN_VERDICTS,
  type CampaignAction,
  type CampaignVerdict,
} from '@tidings/contracts/push/campaigns';
import {
  ATTEMPT_OUTCOMES,
  DELIVERY_REASONS,
  DELIVERY_STATES,
} from '@tidings/contracts/push/deliveries';
import type { Purpose } from '@tidings/contracts/push/purposes';
import { CAMPAIGN_TAG, PUSH_NAME_FIELDS } from '@tidings/contracts/push/push-names';
import { PushRequest, messageSchema, type PushMessage } from '@tidings/contracts/push/push';
import { LOCAL_TIME } from '@tidings/contracts/push/push-schedule';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import {
  Attempts,
  Count,
  INSTANT_MAX,
  Instant,
  NullableInstant,
  Text,
  Uuid,
  oneOf,
  pageQuery,
  SearchText,
  boundedPageSchema,
  pageSchema,
} from '../schemas.ts';
import { BounceSchema } from '../bounce-schema.ts';
import { ListedDelivery } from '../delivery-schema.ts';
import { AUTOMATION_QUERY, CampaignAutomationSchema } from '../campaign-automation-schema.ts';
import { Audience, FailureReason } from '../audience-schema.ts';
import { Schedule } from '../schedule-schema.ts';
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
import {
  CAMPAIGN_EXAMPLE,
  DELIVERY_EXAMPLE,
  LISTED_DELIVERY_EXAMPLE,
} from '../examples/campaigns.ts';
import { CampaignTemplates } from './campaign-templates.ts';
import { Winner } from '../winner-schema.ts';

export const Campaign = Type.Object(
  {
    campaignId: Uuid,
    name: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'What people call it. No recipient gets to see it.',
    }),
    tags: Type.Array(Type.String()),
    channel: oneOf(CHANNELS),
    purpose: Type.Unsafe<Purpose>({ type: 'string' }),
    source: oneOf(CAMPAIGN_SOURCES),
    automation: CampaignAutomationSchema,
    status: oneOf(CAMPAIGN_STATUSES),
    failureReason: FailureReason,
    message: Type.Unsafe<PushMessage>({
      title: 'CampaignMessage',
      description: 'The message as it was sent; of a personalised campaign before it is rendered.',
      anyOf: CHANNELS.map(messageSchema),
    }),
    templates: CampaignTemplates,
    winner: Winner,
    recipients: Type.Object({ requested: Count, unique: Count }),
    audience: Audience,
    schedule: Schedule,
    recipientsDeletedAt: Type.Unsafe<number | null>({
      ...NullableInstant,
      description:
        'When deliveries and the event log were deleted after their retention. Counts stay.',
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
      machineOpened: Count,
      machineClicked: Count,
    }),
    result: Type.Object({
      verdict: Type.Unsafe<CampaignVerdict | null>({
        enum: [...CAMPAIGN_VERDICTS, null],
        description: 'Overall result; null until the status is `completed`.',
      }),
      ...Attempts,
    }),
    failures: Type.Object(
      Object.fromEntries(DELIVERY_REASONS.map((reason) => [reason, Type.Optional(Count)])),
    ),
    bounces: Type.Object(
      Object.fromEntries(BOUNCE_CLASSES.map((each) => [each, Type.Optional(Count)])),
      { description: 'Failed e-mails by what their servers meant.' },
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
    bounce: Type.Optional(BounceSchema),
    channel: Type.Optional(oneOf(CHANNELS)),
    detail: Type.Optional(Type.String({ description: 'Response text of the provider.' })),
    fence: Type.Optional(Count),
    markedSendingAt: Type.Optional(Instant),
    outcome: Type.Optional(oneOf(ATTEMPT_OUTCOMES)),
    durationMs: Type.Optional(Count),
    traceId: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{32}$',
        description: 'Trace id of the request that created the campaign.',
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
  summary: 'List campaigns, newest first',
  description:
    '`q` is words of name, title and tags, in any order and letter case; or the id of a campaign, of one of its deliveries, or of the request that it came with. With it each page scans a bounded number of campaigns: it may have fewer items than `limit`, or none, and still a `nextCursor`. `lookedBackTo` then says how far back it searched. Campaigns of automations have the `source` `automation`; the list leaves them out unless it or an `automation` is asked for.',
  query: Type.Object({
    ...pageQuery,
    q: Type.Optional(SearchText),
    channel: Type.Optional(oneOf(CHANNELS)),
    status: Type.Optional(oneOf(CAMPAIGN_STATUSES)),
    source: Type.Optional(oneOf(CAMPAIGN_SOURCES)),
    tag: Type.Optional(Type.Unsafe<string>(CAMPAIGN_TAG)),
    ...AUTOMATION_QUERY,
  }),
  answer: {
    status: 200,
    description: 'A page of campaigns.',
    schema: boundedPageSchema(Campaign),
    example: { items: [CAMPAIGN_EXAMPLE], nextCursor: null },
  },
});

export const readCampaignEndpoint = endpoint({
  name: 'readCampaign',
  ...campaign,
  method: 'GET',
  path: 'campaigns/:campaignId',
  summary: 'Read a campaign with counts, failures by reason and timing',
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
    summary: 'Pause a campaign',
    description:
      'Stops sending; messages in flight still complete. Waiting deliveries stay `pending` and may expire. 409 unless the status is `sending`.',
    example: { ...CAMPAIGN_EXAMPLE, status: 'paused' },
  },
  resume: {
    name: 'resumeCampaign',
    summary: 'Resume a paused campaign',
    description:
      'Deliveries that expired in the meantime are not sent. 409 unless the status is `paused`.',
    example: { ...CAMPAIGN_EXAMPLE, status: 'sending' },
  },
  cancel: {
    name: 'cancelCampaign',
    summary: 'Cancel a campaign',
    description:
      'Recipients without a send become `canceled`. Counts change at once for recipients without a delivery row, otherwise within moments. Messages in flight still get their outcome. 409 unless the status is `scheduled`, `queued`, `sending` or `paused`.',
    example: { ...CAMPAIGN_EXAMPLE, status: 'canceled' },
  },
  'retry-failed': {
    name: 'retryFailedDeliveries',
    summary: 'Retry failed deliveries',
    description:
      'Retries failed deliveries that no provider ever accepted, with a fresh time to live and attempt budget. Late status updates of earlier attempts are ignored. 409 unless the status is `completed`, there are such failures and the channel is ready to send.',
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
      description: 'The changed campaign.',
      schema: Campaign,
      example: ACTIONS[action].example,
    },
    errorStatuses: [404, 409],
  }),
}));

export const changeCampaignEndpoint = endpoint({
  ...campaign,
  name: 'changeCampaign',
  method: 'PATCH',
  path: 'campaigns/:campaignId',
  summary: 'Change the name, the tags, or when a scheduled campaign begins',
  description:
    'Name and tags may change at any time; null removes them. `sendAt` is one instant for all recipients, `sendAtLocal` a local time of each: at most one of them, whichever it had before. Its messages live as long as before, from then. With a time 409 unless the status is `scheduled`; then nothing changes.',
  body: Type.Object(
    {
      ...PUSH_NAME_FIELDS,
      sendAt: Type.Optional(
        Type.Integer({
          description: 'milliseconds since the epoch, at most 366 days ahead',
          minimum: 0,
          maximum: INSTANT_MAX,
        }),
      ),
      sendAtLocal: Type.Optional(
        Type.String({
          pattern: LOCAL_TIME,
          description: 'a local time, YYYY-MM-DDTHH:MM, in the time zone of each recipient',
        }),
      ),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  bodyExample: { sendAt: 1_798_102_800_000 },
  recorded: ['name', 'tags', 'sendAt', 'sendAtLocal'],
  answer: {
    status: 200,
    description: 'The changed campaign.',
    schema: Campaign,
    example: {
      ...CAMPAIGN_EXAMPLE,
      status: 'scheduled',
      schedule: { sendAt: 1_798_102_800_000, sendAtLocal: null, localTimePassed: 0 },
    },
  },
  errorStatuses: [404, 409],
});

export const listDeliveriesEndpoint = endpoint({
  name: 'listDeliveries',
  ...campaign,
  method: 'GET',
  path: 'campaigns/:campaignId/deliveries',
  summary: 'List deliveries: the outcome for each recipient',
  description:
    'In the order of the recipients in the request. Each page scans a bounded number of rows: with a selective filter it may have fewer items than `limit`, or none, and still a `nextCursor`.',
  query: Type.Object({
    ...pageQuery,
    status: Type.Optional(oneOf(DELIVERY_STATES)),
    group: Type.Optional(
      Type.Unsafe<OutcomeGroup>({
        ...oneOf(OUTCOME_GROUP_NAMES),
        description: '`failed` includes `failed_attempts` and `not_reachable`.',
      }),
    ),
    reason: Type.Optional(oneOf(DELIVERY_REASONS)),
    customUserId: Type.Optional(Text),
  }),
  answer: {
    status: 200,
    description: 'A page of deliveries.',
    schema: pageSchema(ListedDelivery),
    example: { items: [LISTED_DELIVERY_EXAMPLE], nextCursor: null },
  },
});

export const listCampaignEventsEndpoint = endpoint({
  name: 'listCampaignEvents',
  ...campaign,
  method: 'GET',
  path: 'campaigns/:campaignId/events',
  summary: 'List the event log of a campaign, oldest first',
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
  summary: 'Send a message to users',
  description: `Same body, responses and rate limit as \`POST /push\`, but also with a session or administrator token. 200 means that the campaign is stored. Its \`source\` is \`api\`. With \`draftId\` and \`draftVersion\` the draft is deleted in the same moment: 409 if it is gone or has another version, and then nothing is sent. With \`holdSeconds\` a campaign without a time of its own begins that much later, and can be canceled until then. ${PUSH_RULES}`,
  query: Type.Object({
    draftId: Type.Optional(Uuid),
    draftVersion: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
    holdSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 60 })),
  }),
  headers: [IDEMPOTENCY_KEY],
  body: PushRequest,
  bodyExample: PUSH_EXAMPLE,
  bodyExamples: PUSH_EXAMPLES,
  recorded: ['name', 'tags', 'channel', 'purpose'],
  answer: {
    status: 200,
    description: PUSH_ANSWERS,
    schema: PushAnswerSchema,
    example: PUSH_ANSWER_EXAMPLE,
    headers: PUSH_ANSWER_HEADERS,
  },
  errorStatuses: [409, 429],
});
