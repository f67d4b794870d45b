import {
  countAttempts,
  CAMPAIGN_STATUSES,
  computeCampaignResult,
  CHANNELS,
  DELIVERY_REASONS,
  DELIVERY_STATES,
  ERROR_CODES,
  LIMITS,
  MESSAGE_OUTCOMES,
  RECEIPT_REASONS,
  WEBHOOK_KINDS,
  EXPLANATIONS,
  type CampaignAudience,
  type Condition,
  type DryRunAnswer,
} from '@tidings/contracts';
import type {
  ApiKey,
  Application,
  ArrivedEvent,
  Attention,
  AuditEntry,
  Campaign,
  CampaignEvent,
  CampaignReport,
  CampaignWebhook,
  ChannelState,
  EventChart,
  DeadLetter,
  DeadLetterDetail,
  Definition,
  DefinitionDetail,
  Delivery,
  IngestEntry,
  IngestReport,
  ListedChannel,
  ListedUser,
  Member,
  MessageDetail,
  Overview,
  Revenue,
  Segment,
  SegmentCount,
  SegmentExplanation,
  SegmentMember,
  SegmentPreview,
  SegmentVersion,
  StoredEvent,
  Suppression,
  Template,
  TemplateComparison,
  TemplatePreview,
  TemplateVersion,
  TimelineItem,
  Token,
  User,
  Webhook,
  WebhookDelivery,
} from '@tidings/web/src/api/types.ts';
import { APPLICATION_ID, type Answers } from './pages.ts';

// Every list of the dashboard with the longest values that the API accepts. None contains a line-break opportunity.

const AT = 1_795_256_516_534;
const many = (text: string, charsMax: number): string =>
  text.repeat(Math.ceil(charsMax / text.length)).slice(0, charsMax);
const uuid = (index: number): string =>
  `01a1fda0-84a5-72c8-802b-${index.toString(16).padStart(12, '0')}`;

export const LONG = {
  id: uuid(0),
  refusedId: uuid(0xf_000),
  slug: 'qwert',
  segmentSlug: many('loyal-customers-of-the-shop-', 64).replace(/-$/, 's'),
  templateSlug: many('welcome-to-the-shop-', 64).replace(/-$/, 's'),
  customUserId: many('customer_4711_of_the_shop_in_', LIMITS.customUserIdCharsMax),
  heldUserId: many('user_who_is_not_registered_', LIMITS.customUserIdCharsMax),
  messageId: many('order-2024-11-20-0199a5c0-', LIMITS.messageIdCharsMax),
  customName: many('item_that_was_added_to_the_basket_', LIMITS.customNameCharsMax),
  email: `${many('first.second.third.', 63)}x@${many('mail.of.the.department.', 180)}example`,
  url: many('https://hooks.shop.example/tidings/receiver?token=0123456789abcdef&name=', 2_000),
  words: many('Donaudampfschifffahrtsgesellschaft', 200),
} as const;
const { id, slug, customUserId, messageId, customName, email, url, words } = LONG;
const PROVIDER_MESSAGE = `550-5.1.1 ${words} The email account that you tried to reach does not exist. ${url}`;
const ATTRIBUTES = {
  article: words,
  [many('a_name_without_end_', 64)]: 9_007_199_254_740_991,
  list: [words, words],
  url,
};

const list = <T>(...items: readonly T[]) => ({ json: { items, nextCursor: null } });
const one = <T>(json: T) => ({ json });

const counts = {
  total: 1_000_000,
  pending: 0,
  waiting: 0,
  sent: 998_000,
  delivered: 997_000,
  displayed: 0,
  opened: 400_000,
  clicked: 120_000,
  successful: 999_990,
  failed: 10,
  unknown: 0,
  expired: 0,
  canceled: 0,
  unsubscribed: 1_234,
  complained: 12,
};
const failures = Object.fromEntries(DELIVERY_REASONS.map((reason) => [reason, 100_000]));
const audience: CampaignAudience = {
  segment: LONG.segmentSlug,
  version: 12_345,
  condition: { attribute: many('an_attribute_', 64), is: words },
  exclude: {
    segment: LONG.segmentSlug,
    version: 1,
    condition: { field: 'email', contains: email },
  },
  recheck: true,
  snapshotAt: AT,
  warnings: [],
};
const campaigns = CAMPAIGN_STATUSES.map((status, index): Campaign => ({
  campaignId: uuid(index),
  channel: CHANNELS[index] ?? 'EMAIL',
  purpose: 'transactional',
  source: 'dashboard',
  status,
  message: { title: words, body: words },
  templates: [
    { slug: LONG.templateSlug, version: 1_000_000, share: 1_000 },
    { slug: null, version: null, share: 1 },
  ],
  recipients: { requested: 1_000_000, unique: 1_000_000 },
  audience,
  schedule: { sendAt: AT, sendAtLocal: '2026-12-24T09:00', localTimePassed: 1_000_000 },
  recipientsDeletedAt: null,
  counts,
  result: computeCampaignResult(status, counts, { provider_rejected: 10 }),
  failures,
  timing: {
    createdAt: AT,
    startedAt: AT,
    firstSentAt: AT,
    lastSentAt: AT + 1_000,
    completedAt: AT + 86_400_000,
    durationMs: 86_400_000,
    p50Ms: 86_399_000,
    p95Ms: 86_399_000,
  },
  createdBy: `member:${email}`,
  requestId: id,
}));
const [campaign] = campaigns as [Campaign];
const report: CampaignReport = {
  campaign,
  funnel: (
    [
      'requested',
      'unique',
      'reachable',
      'sent',
      'delivered',
      'displayed',
      'opened',
      'clicked',
    ] as const
  ).map((step, index) => ({ step, count: 1_000_000, isReported: index < 6 })),
  failures: DELIVERY_REASONS.map((reason) => ({
    reason,
    count: 100_000,
    ...EXPLANATIONS.deliveryReason[reason],
  })),
  perSecond: 12_345.6,
};
const deliveries = DELIVERY_STATES.map((status, index): Delivery => ({
  deliveryId: uuid(index),
  customUserId: index % 2 === 0 ? customUserId : 'ada',
  serviceUserId: id,
  status,
  reason: DELIVERY_REASONS[index] ?? null,
  providerCode: 'ProviderErrorCodeWithoutAnySpaces',
  providerMessage: PROVIDER_MESSAGE,
  attempts: 12,
  createdAt: AT,
  sentAt: AT,
  deliveredAt: AT,
  displayedAt: AT,
  openedAt: AT,
  clickedAt: AT,
  updatedAt: AT,
  addresses: [
    {
      addressNo: 0,
      deviceRef: messageId,
      status,
      reason: DELIVERY_REASONS[index] ?? null,
      providerCode: 'messaging/registration-token-not-registered',
      providerMessage: PROVIDER_MESSAGE,
      attempts: 3,
      sentAt: AT,
      updatedAt: AT,
    },
  ],
}));
const campaignEvents = ['campaign.completed', 'attempt.ended', 'user.unsubscribed'].map(
  (type, index): CampaignEvent => ({
    seq: String(index),
    at: AT,
    type,
    deliveryId: id,
    attempt: 12,
    status: 'failed',
    reason: 'channel_not_configured',
    providerCode: 'ProviderErrorCodeWithoutAnySpaces',
    detail: PROVIDER_MESSAGE,
    outcome: 'permanent',
    durationMs: 59_900,
  }),
);
const emitted = WEBHOOK_KINDS.map((type, index): CampaignWebhook => ({
  id: uuid(index),
  webhookId: id,
  url,
  eventId: id,
  type,
  occurredAt: AT,
  deliveryId: id,
  customUserId,
  status: 'failed',
  attempts: 12,
  settledAt: AT,
}));

const messages = RECEIPT_REASONS.map((reason, index): IngestReport['messages'][number] => ({
  index,
  id: index % 2 === 0 ? messageId : 'm',
  type: 'businessEvent',
  outcome: MESSAGE_OUTCOMES[index % MESSAGE_OUTCOMES.length] ?? 'pending',
  reason,
}));
const errors = [
  {
    pointer: `/messages/0/attributes/${many('a_name_that_goes_on_', 64)}`,
    code: 'wrong_type',
    expected: 'integer',
    index: 0,
    messageId,
  },
] as const;
const CODES = Object.keys(ERROR_CODES) as (keyof typeof ERROR_CODES)[];
/** More rows than a table renders at once. */
const refusals = Array.from({ length: 100 }, (_, index): IngestEntry => ({
  requestId: uuid(0xf_000 + index),
  receivedAt: AT,
  outcome: 'refused',
  status: 400,
  code: CODES[index % CODES.length] ?? 'internal',
  path: '/',
  errors,
  unlisted: 1_234_567,
  customUserId,
  address: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
}));
const accepted = messages.map((message): IngestEntry => ({
  ...message,
  requestId: id,
  receivedAt: AT,
}));
const message: MessageDetail = {
  requestId: id,
  receivedAt: AT,
  index: 0,
  id: messageId,
  type: 'action',
  outcome: 'duplicate',
  reason: 'duplicate_id',
  customUserId,
  stored: { type: 'action', id: messageId, time: AT, name: slug, attributes: ATTRIBUTES },
  duplicateOf: { requestId: id, index: 0 },
};

const events: readonly StoredEvent[] = [
  {
    id: messageId,
    type: 'action',
    slug,
    name: customName,
    time: AT,
    receivedAt: AT,
    attributes: ATTRIBUTES,
  },
  {
    id: 'm2',
    type: 'revenue',
    slug,
    name: 'order_paid',
    time: -9_223_372_036_854_775_808n,
    receivedAt: AT,
    revenue: 123_456_789.01,
    currency: 'EUR',
  },
];
const arrived = events.map((event): ArrivedEvent => ({
  ...event,
  time: AT,
  requestId: id,
  customUserId,
}));
const timeline: readonly TimelineItem[] = [
  ...events.map((event): TimelineItem => ({
    kind: 'event',
    at: AT,
    event: { ...event, time: AT },
  })),
  {
    kind: 'message',
    at: AT,
    message: {
      deliveryId: id,
      campaignId: id,
      channel: 'EMAIL',
      status: 'failed',
      reason: 'invalid_address',
      sentAt: AT,
    },
  },
  { kind: 'profile', at: AT, messageId, fields: ['firstName', many('an_attribute_', 64), 'email'] },
];
const user: User = {
  customUserId,
  serviceUserIds: [uuid(1), uuid(2)],
  registeredAt: AT,
  updatedAt: AT,
  profile: {
    firstName: words,
    lastName: words,
    email,
    phoneNumber: '+4915112345678',
    customAttributes: { [many('an_attribute_', 64)]: words, page: url, isMember: true },
  },
  reachable: Object.fromEntries(
    CHANNELS.map((channel, index) => [
      channel,
      index % 2 === 0 ? { ok: true } : { ok: false, reason: 'channel_not_configured' },
    ]),
  ) as User['reachable'],
  devices: [
    {
      deviceRef: messageId,
      kind: 'web_push',
      reachable: true,
      isProved: true,
      serviceUserId: id,
      timeZone: 'America/Argentina/ComodRivadavia',
      locale: 'ca-ES-valencia',
      createdAt: AT,
      seenAt: AT,
    },
  ],
};
const users: readonly ListedUser[] = [
  {
    customUserId,
    serviceUserIds: [id],
    registeredAt: AT,
    firstName: words,
    lastName: words,
    email,
    phoneNumber: '+4915112345678',
  },
  {
    customUserId: 'ada',
    serviceUserIds: [id],
    registeredAt: AT,
    firstName: 'Ada',
    lastName: null,
    email: 'ada@shop.example',
    phoneNumber: null,
  },
];

const definitions = [customName, 'click'].map((name, index): Definition => ({
  slug: index === 0 ? slug : 'wwwww',
  name,
  kind: 'businessEvent',
  origin: 'predefined',
  discarded: false,
  byClientKey: false,
  createdAt: AT,
  events: 1_234_567_890,
  eventsLastDay: 12_345_678,
  lastReceivedAt: AT,
  ...(index === 1 && { mergedInto: slug }),
}));
const [definition] = definitions as [Definition];
const detail: DefinitionDetail = { ...definition, samples: arrived.slice(0, 1) };
const chart = {
  timeZone: 'America/Argentina/ComodRivadavia',
  outside: 1_234_567,
  byArrival: 1_234_567,
  countedFrom: AT,
};
const hours = Array.from({ length: 24 }, (_, index) => ({
  at: AT - (AT % 3_600_000) - (23 - index) * 3_600_000,
  events: 1_234_567,
  revenue: { EUR: 123_456_789_012.34 },
}));
const eventChart: EventChart = { ...chart, items: hours };
const revenue: Revenue = {
  ...chart,
  currencies: ['EUR', 'JPY'].map((currency) => ({
    currency,
    events: 1_234_567,
    revenue: 123_456_789_012.34,
  })),
  items: hours,
};

const health = CHANNELS.map((channel): ListedChannel => ({
  channel,
  status: channel === 'SMS' ? 'not_configured' : 'ready',
  testedAt: AT,
}));
const channel: ChannelState = { channel: 'EMAIL', status: 'ready', testedAt: AT, settings: {} };
const attention: Attention[] = [
  { kind: 'webhook_failing', at: AT, webhookId: id, url, reason: 'http_status' },
  {
    kind: 'campaign_failing',
    at: AT,
    count: 10,
    total: 1_000_000,
    campaignId: id,
    channel: 'EMAIL',
  },
  {
    kind: 'addresses_refused',
    at: AT,
    address: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    count: 1_234,
  },
];
const sums = {
  since: AT,
  campaigns: 12,
  channels: CHANNELS.slice(0, 5).map((each) => ({
    channel: each,
    ...counts,
    ...countAttempts(counts, 0),
  })),
};
const overview: Overview = {
  at: AT,
  ingest: {
    perMinute: [
      { at: AT - 60_000, requests: 1_234_567, messages: 1_234_567, refused: 1_234 },
      { at: AT, requests: 1, messages: 1, refused: 1 },
    ],
    lag: { 'users-consumer': 1_234_567, 'events-consumer': 1_234_567 },
  },
  events: { timeZone: chart.timeZone, perHour: hours, countedFrom: AT },
  backlog: { deliveries: 12_345_678, campaigns: 1_234, since: AT },
  outcomes: { lastHour: sums, lastDay: sums },
  channels: health,
  attention,
  runsOn: ['postgres', 'kafka', 'redis'],
  firstSteps: {
    hasKey: true,
    hasEvent: true,
    hasUser: true,
    hasReadyChannel: true,
    hasCampaign: true,
  },
};

const keys: readonly ApiKey[] = [
  {
    id: uuid(1),
    type: 'server',
    name: many('server_of_the_shop_', 100),
    prefix: 'sk_0123456',
    allowedOrigins: [],
    createdAt: AT,
    lastUsedAt: AT,
  },
  {
    id: uuid(2),
    type: 'client',
    name: 'Web',
    prefix: 'ck_0123456',
    allowedOrigins: [`https://${many('a.very.long.origin.', 200)}example`, 'https://shop.example'],
    createdAt: AT,
    lastUsedAt: null,
  },
];
const tokens: readonly Token[] = [
  {
    id: uuid(1),
    name: many('terraform_of_the_platform_', 100),
    prefix: 'at_0123456',
    createdBy: `member:${email}`,
    createdAt: AT,
    lastUsedAt: AT,
  },
];
const members: readonly Member[] = [
  {
    id: uuid(1),
    email,
    name: words,
    role: 'developer',
    createdAt: AT,
    signedInAt: AT,
    isInvited: false,
  },
  {
    id: uuid(2),
    email: 'eve@shop.example',
    name: '',
    role: 'viewer',
    createdAt: AT,
    signedInAt: null,
    isInvited: true,
  },
];
const webhook: Webhook = {
  id,
  url,
  description: words,
  kinds: WEBHOOK_KINDS.filter((kind) => kind !== 'webhook.ping'),
  channels: CHANNELS,
  status: 'enabled',
  disabledReason: null,
  disabledAt: null,
  failingSince: AT,
  previousSecretUntil: AT,
  createdAt: AT,
  updatedAt: AT,
};
const webhookDeliveries = WEBHOOK_KINDS.map((type, index): WebhookDelivery => ({
  id: uuid(index),
  eventId: id,
  type,
  occurredAt: AT,
  data: { campaignId: id, customUserId, url },
  status: 'failed',
  reason: null,
  attempts: 12,
  attemptLog: [
    { at: AT, durationMs: 9_900, statusCode: 503 },
    { at: AT + 1, durationMs: 9_900, error: 'timeout' },
  ],
  lastAnswer: PROVIDER_MESSAGE,
  nextAttemptAt: AT,
  replayOf: null,
  createdAt: AT,
  settledAt: null,
}));
const letters: readonly DeadLetter[] = [
  {
    id,
    consumer: 'events-consumer',
    requestId: id,
    topic: 'ingest',
    partition: 63,
    offset: 9_223_372_036_854_775_807n,
    errorClass: 'unreadable',
    sqlState: '22P05',
    status: 'waiting',
    replays: 2,
    createdAt: AT,
    updatedAt: AT,
    size: 1_048_576,
  },
];
const letter = {
  ...(letters as readonly [DeadLetter])[0],
  encoding: 'utf8',
  value: many('{"messages":[{"type":"action"', 4_000),
} satisfies DeadLetterDetail;
const segmentSlug = LONG.segmentSlug;
const condition: Condition = {
  all: [
    { attribute: many('an_attribute_', 64), is: words },
    { not: { field: 'email', contains: email } },
    { attribute: 'plan', in: [words, words, 'gold'] },
    {
      event: slug,
      count: { gte: 1_000_000 },
      within: '3650d',
      where: [{ attribute: many('a_name_without_end_', 64), startsWith: words }],
      notFollowedBy: { event: slug, in: '1h' },
    },
    { any: [{ segment: 'base' }, { reachable: 'EMAIL', purpose: 'marketing' }] },
    { field: 'registeredAt', before: AT, after: { ago: '3650d' } },
  ],
};
const segmentVersion: SegmentVersion = {
  version: 12_345,
  name: words,
  condition,
  createdAt: AT,
  createdBy: `member:${email}`,
};
const { createdBy: _createdBy, ...shared } = segmentVersion;
const segments: readonly Segment[] = [
  { ...shared, slug: segmentSlug, updatedAt: AT, updatedBy: `member:${email}`, usedBy: ['base'] },
  {
    ...shared,
    slug: 'base',
    name: 'Base',
    condition: { field: 'country', is: 'DE' },
    updatedAt: AT,
    updatedBy: `member:${email}`,
    usedBy: [segmentSlug],
  },
];
const segmentPreview: SegmentPreview = {
  estimate: { count: 1_234_567, low: 1_200_000, high: 1_300_000, isExact: false },
  sample: Array.from({ length: 20 }, (_, index) => (index === 0 ? customUserId : `user-${index}`)),
  warnings: [
    {
      code: 'beyond_retention',
      pointer: '/condition/all/3/within',
      detail: 'The application keeps events for 30 days.',
    },
  ],
  asOf: AT,
  tookMs: 123,
};
const segmentCount: SegmentCount = {
  count: 1_234_567,
  reachable: Object.fromEntries(
    CHANNELS.map((each) => [each, 1_234_567]),
  ) as SegmentCount['reachable'],
  asOf: AT,
  tookMs: 12_345,
};
const explanation: SegmentExplanation = {
  isMember: false,
  asOf: AT,
  tree: [
    { pointer: '', key: 'all', result: false },
    {
      pointer: '/all/0',
      key: 'attribute',
      result: false,
      evidence: { value: words, type: 'string' },
    },
    { pointer: '/all/1', key: 'not', result: true },
    { pointer: '/all/1/not', key: 'field', result: false, evidence: { value: email } },
    { pointer: '/all/2', key: 'attribute', result: false },
    {
      pointer: '/all/3',
      key: 'event',
      result: true,
      evidence: { count: 1_234_567, first: AT, last: AT, eventIds: [messageId] },
    },
    { pointer: '/all/4', key: 'any', result: false },
    {
      pointer: '/all/4/any/0',
      key: 'segment',
      result: false,
      tree: [{ pointer: '', key: 'field', result: false, evidence: { value: 'FR' } }],
    },
    {
      pointer: '/all/4/any/1',
      key: 'reachable',
      result: false,
      evidence: { reason: 'channel_not_configured' },
    },
    { pointer: '/all/5', key: 'field', result: true, evidence: { value: AT, type: 'number' } },
  ],
};
const templateVersion: TemplateVersion = {
  version: 12_345,
  name: words,
  channel: 'EMAIL',
  message: { title: words, body: `<p>${words}</p>` },
  variants: [{ name: words, condition, message: { title: words, body: words } }],
  createdAt: AT,
  createdBy: `member:${email}`,
};
const { createdBy: _by, ...ofTemplate } = templateVersion;
const template: Template = {
  ...ofTemplate,
  slug: LONG.templateSlug,
  updatedAt: AT,
  updatedBy: `member:${email}`,
};
const shortTemplate: Template = { ...template, slug: 'short', name: 'Short', variants: [] };
const templatePreview: TemplatePreview = {
  variables: [
    { name: `user.customAttributes.${words}`, isRequired: true },
    { name: 'user.firstName', isRequired: false },
  ],
  variant: words,
  fault: { code: 'missing_variable', detail: `user.customAttributes.${words} is missing` },
  warnings: [
    {
      code: 'beyond_retention',
      pointer: '/variants/0/condition/all/3/within',
      detail: 'The application keeps events for 30 days.',
    },
  ],
};
const comparison: TemplateComparison = {
  items: [
    { slug: LONG.templateSlug, version: 1_000_000, share: 1_000 },
    { slug: null, version: null, share: 1 },
  ].map((each) => ({
    ...each,
    counts: {
      recipients: 1_000_000,
      successful: 999_990,
      delivered: 997_000,
      opened: 400_000,
      clicked: 120_000,
      failed: 10,
    },
  })),
  asOf: AT,
};
const suppressions: readonly Suppression[] = [
  { id, channel: 'EMAIL', address: email, reason: 'unsubscribed', createdAt: AT },
];
const audit: readonly AuditEntry[] = [
  {
    id: uuid(1),
    at: AT,
    actor: `member:${email}`,
    address: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    applicationId: id,
    action: 'POST webhooks/:id/deliveries/:deliveryId/replay',
    target: { webhookId: id, deliveryId: id },
    detail: { url, kinds: WEBHOOK_KINDS, settings: { host: words } },
    requestId: id,
    status: 200,
  },
  {
    id: uuid(2),
    at: AT,
    actor: 'token:Terraform',
    address: null,
    applicationId: null,
    action: 'DELETE users/:customUserId',
    target: { customUserId },
    detail: {},
    requestId: id,
    status: 403,
  },
];

const application: Application = {
  applicationId: APPLICATION_ID,
  name: words,
  createdAt: AT,
  settings: {
    defaultSubject: words,
    defaultCountry: 'BO',
    timeZone: 'America/Argentina/ComodRivadavia',
    eventRetentionDays: 3_650,
  },
};

export const LONG_DRY_RUN: DryRunAnswer = {
  dryRun: true,
  channel: 'EMAIL',
  recipients: { requested: 2, unique: 2 },
  reachable: 1,
  unreachable: { no_address: 1 },
  results: [
    { customUserId, reachable: true },
    { customUserId: LONG.heldUserId, reachable: false, reason: 'channel_not_configured' },
  ],
  warnings: [
    { code: 'channel_untested', pointer: '/message/customContent', detail: `${words} ${words}` },
  ],
};

export const LONG_ANSWERS: Answers = {
  'GET overview': one(overview),
  'GET campaigns': list(...campaigns),
  'POST campaigns': one(LONG_DRY_RUN),
  [`GET campaigns/${id}/report`]: one(report),
  [`GET campaigns/${id}/deliveries`]: list(...deliveries),
  [`GET campaigns/${id}/events`]: list(...campaignEvents),
  [`GET campaigns/${id}/webhooks`]: list(...emitted),
  'GET ingest': list(...refusals, ...accepted),
  [`GET ingest/${id}`]: one<IngestReport>({
    requestId: id,
    receivedAt: AT,
    complete: true,
    messages,
  }),
  [`GET ingest/${id}/messages/0`]: one(message),
  'GET users': list(...users),
  [`GET users/${customUserId}`]: one(user),
  [`GET users/${customUserId}/events`]: list(...events),
  [`GET users/${customUserId}/timeline`]: list(...timeline),
  [`GET users/${LONG.heldUserId}/held-events`]: list(...events),
  'GET events': list(...arrived),
  'GET definitions': list(...definitions),
  [`GET definitions/${slug}`]: one(detail),
  [`GET definitions/${slug}/chart`]: one(eventChart),
  'GET revenue': one(revenue),
  'GET channels': list(channel),
  'GET channels/EMAIL': one(channel),
  [`GET applications/${APPLICATION_ID}`]: one(application),
  'GET keys': list(...keys),
  'GET administrator-tokens': list(...tokens),
  'GET members': list(...members),
  'GET allow-list': one({
    entries: ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    yourAddress: '203.0.113.7',
  }),
  'GET webhooks': list(webhook),
  [`GET webhooks/${id}/deliveries`]: list(...webhookDeliveries),
  'GET dead-letters': list(...letters),
  [`GET dead-letters/${id}`]: one(letter),
  'GET segments': list(...segments),
  [`GET segments/${segmentSlug}`]: one(segments[0]),
  [`GET segments/${segmentSlug}/users`]: list<SegmentMember>(
    { customUserId },
    { customUserId: 'ada' },
  ),
  [`GET segments/${segmentSlug}/versions`]: list(segmentVersion),
  [`GET users/${customUserId}/segments`]: list(
    ...segments.map(({ slug: each, name }) => ({ slug: each, name, isMember: each === 'base' })),
  ),
  'POST segments/preview': one(segmentPreview),
  'POST segments/count': one(segmentCount),
  'POST segments/explain': one(explanation),
  'GET templates': list(template, shortTemplate),
  [`GET templates/${LONG.templateSlug}`]: one(template),
  [`GET templates/${LONG.templateSlug}/versions`]: list(templateVersion),
  'POST templates/preview': one(templatePreview),
  [`GET campaigns/${id}/templates`]: one(comparison),
  [`POST campaigns/${id}/render`]: one({ message: { title: words, body: words }, asOf: AT }),
  'GET suppressions': list(...suppressions),
  'GET audit': list(...audit),
};
