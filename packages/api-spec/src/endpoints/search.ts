import { AUTOMATION_STATUSES } from '@tidings/contracts/automations/runs';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { ERROR_CODES, type ErrorCode } from '@tidings/contracts/errors/error-codes';
import { DEAD_LETTER_STATUSES } from '@tidings/contracts/ingest/dead-letters';
import { MESSAGE_OUTCOMES, MESSAGE_TYPES } from '@tidings/contracts/ingest/ingest';
import { CAMPAIGN_SOURCES, CAMPAIGN_STATUSES } from '@tidings/contracts/push/campaigns';
import { DELIVERY_STATES } from '@tidings/contracts/push/deliveries';
import { WEBHOOK_DELIVERY_STATES, WEBHOOK_KINDS } from '@tidings/contracts/webhooks';
import { Type, type Static, type TProperties, type TObject } from 'typebox';
import { endpoint, type Endpoint } from '../endpoint.ts';
import {
  Count,
  CustomUserId,
  Instant,
  NullableString,
  SearchText,
  Slug,
  Uuid,
  oneOf,
} from '../schemas.ts';
import { readAutomationEndpoint } from './automations.ts';
import { readCampaignEndpoint } from './campaigns.ts';
import { readDeadLetterEndpoint } from './dead-letters.ts';
import { listIngestEndpoint } from './ingest.ts';
import { readSegmentEndpoint } from './segments.ts';
import { readTemplateEndpoint } from './templates.ts';
import { readUserEndpoint } from './users.ts';
import { listWebhookDeliveriesEndpoint } from './webhooks.ts';

/** Items of each kind in one answer. */
export const SEARCH_ITEMS_MAX = 5;

/** What is searched, each in its own bounded time. */
export const SEARCH_SOURCES = [
  'users',
  'campaigns',
  'automations',
  'segments',
  'templates',
  'ids',
  'messages',
  'webhooks',
] as const;
export type SearchSource = (typeof SEARCH_SOURCES)[number];

const item = <Kind extends string, Fields extends TProperties>(kind: Kind, fields: Fields) =>
  Type.Object({
    kind: Type.Unsafe<Kind>({ type: 'string', const: kind }),
    title: Type.String(),
    detail: NullableString,
    ...fields,
  });

const channel = oneOf(CHANNELS);
const ITEMS = {
  user: item('user', { id: CustomUserId }),
  campaign: item('campaign', {
    id: Uuid,
    channel,
    status: oneOf(CAMPAIGN_STATUSES),
    source: oneOf(CAMPAIGN_SOURCES),
    createdAt: Instant,
  }),
  automation: item('automation', { id: Slug, status: oneOf(AUTOMATION_STATUSES) }),
  segment: item('segment', { id: Slug }),
  template: item('template', { id: Slug, channel }),
  delivery: item('delivery', {
    id: Uuid,
    campaignId: Uuid,
    customUserId: CustomUserId,
    channel,
    status: oneOf(DELIVERY_STATES),
    createdAt: Instant,
  }),
  request: item('request', {
    id: Uuid,
    outcome: oneOf(['accepted', 'rejected']),
    code: Type.Unsafe<ErrorCode | null>({
      enum: [...Object.keys(ERROR_CODES), null],
      description: 'Why it was rejected.',
    }),
    messages: Type.Unsafe<number | null>({ ...Count, type: ['integer', 'null'] }),
    receivedAt: Instant,
  }),
  message: item('message', {
    id: Type.String(),
    requestId: Uuid,
    index: Count,
    type: oneOf(MESSAGE_TYPES),
    outcome: oneOf(MESSAGE_OUTCOMES),
    receivedAt: Instant,
  }),
  webhookDelivery: item('webhookDelivery', {
    id: Uuid,
    webhookId: Uuid,
    eventId: Type.String(),
    type: oneOf(WEBHOOK_KINDS),
    campaignId: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' }),
    status: oneOf(WEBHOOK_DELIVERY_STATES),
    occurredAt: Instant,
  }),
  deadLetter: item('deadLetter', {
    id: Uuid,
    status: oneOf(DEAD_LETTER_STATUSES),
    createdAt: Instant,
  }),
} satisfies Record<string, TObject>;

export type SearchKind = keyof typeof ITEMS;
export type SearchItem = Static<(typeof ITEMS)[SearchKind]>;

/** The endpoint that opens an item: who may not call it does not find the item. */
export const OPENED_BY: Readonly<Record<SearchKind, Pick<Endpoint, 'method' | 'path' | 'access'>>> =
  {
    user: readUserEndpoint,
    campaign: readCampaignEndpoint,
    automation: readAutomationEndpoint,
    segment: readSegmentEndpoint,
    template: readTemplateEndpoint,
    delivery: readCampaignEndpoint,
    request: listIngestEndpoint,
    message: listIngestEndpoint,
    webhookDelivery: listWebhookDeliveriesEndpoint,
    deadLetter: readDeadLetterEndpoint,
  };

export const searchEndpoint = endpoint({
  name: 'search',
  method: 'GET',
  path: 'search',
  access: 'reader',
  summary:
    'Find users, campaigns, automations, segments and templates by what is typed, and anything by its id',
  description: [
    `At most ${SEARCH_ITEMS_MAX} items of each kind: first what has the pasted id, then users, campaigns, automations, segments and templates. An item has the id that opens it, a title and a second line. Items that the caller may not open are left out.`,
    '',
    '- Users: a customUserId or its beginning; the beginning of a first or last name, of both in either order, of an e-mail address or a phone number in any usual writing; exactly a serviceUserId, or a hash of an address or number. Letter case does not count, except in ids.',
    '- Campaigns: all words somewhere in name, title and tags. Searched are the newest 20,000 that were sent from the dashboard, or have a name or tags, and the newest 1,000 of all. Test sends are not searched.',
    '- Automations, segments and templates: all words somewhere in name and slug.',
    '- Ids, also without dashes, in capitals or quotes: campaign, delivery, request of `POST /` or of a push, message, webhook delivery, event of a webhook (`evt_…`, among the newest 10,000 deliveries of each endpoint), dead letter.',
    '',
    'The answer is bounded in time. `incomplete` names what was too slow, or was searched in its newest part only.',
  ].join('\n'),
  query: Type.Object({ q: SearchText }),
  answer: {
    status: 200,
    description: 'What was found.',
    schema: Type.Object({
      items: Type.Array(
        Type.Unsafe<SearchItem>({ title: 'SearchItem', anyOf: Object.values(ITEMS) }),
      ),
      incomplete: Type.Array(oneOf(SEARCH_SOURCES)),
    }),
    example: {
      items: [
        { kind: 'user', id: 'ada', title: 'Ada Lovelace', detail: 'ada@example.com' },
        {
          kind: 'campaign',
          id: '01a1fda0-7f01-73ac-9ab1-82b6d3569097',
          title: 'Ada’s autumn catalogue',
          detail: null,
          channel: 'EMAIL',
          status: 'completed',
          source: 'dashboard',
          createdAt: 1_795_256_516_534,
        },
        {
          kind: 'template',
          id: 'adas-welcome',
          title: 'Ada’s welcome',
          detail: 'adas-welcome',
          channel: 'EMAIL',
        },
      ],
      incomplete: [],
    },
  },
});
