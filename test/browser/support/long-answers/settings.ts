import { CHANNELS } from '@tidings/contracts/channels/channels';
import { WEBHOOK_KINDS } from '@tidings/contracts/webhooks';
import type {
  ApiKey,
  Application,
  AuditEntry,
  DeadLetter,
  DeadLetterDetail,
  Member,
  Suppression,
  Token,
  Webhook,
  WebhookDelivery,
} from '@tidings/web/src/api/types.ts';
import type { Answers } from '../answer-calls.ts';
import { APPLICATION_ID } from '../pages.ts';
import { AT, many, uuid, PROVIDER_MESSAGE, list, one, LONG } from './values.ts';

const { id, customUserId, email, url, words } = LONG;
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
    action: 'POST webhooks/:webhookId/deliveries/:deliveryId/replay',
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

export const SETTINGS_ANSWERS: Answers = {
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
  'GET suppressions': list(...suppressions),
  'GET audit': list(...audit),
};
