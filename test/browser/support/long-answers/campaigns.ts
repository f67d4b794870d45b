import { ACCOUNT_REASONS } from '@tidings/contracts/channels/accounts';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { EXPLANATIONS } from '@tidings/contracts/errors/explanations/explanations';
import { BOUNCE_CLASSES } from '@tidings/contracts/push/bounces';
import { computeCampaignResult } from '@tidings/contracts/push/campaign-result';
import { CAMPAIGN_STATUSES, type DryRunAnswer } from '@tidings/contracts/push/campaigns';
import { DELIVERY_REASONS, DELIVERY_STATES } from '@tidings/contracts/push/deliveries';
import type { CampaignAudience } from '@tidings/contracts/push/push-audience';
import { WEBHOOK_KINDS } from '@tidings/contracts/webhooks';
import type {
  Campaign,
  CampaignEvent,
  CampaignReport,
  CampaignWebhook,
  Delivery,
  TemplateComparison,
} from '@tidings/web/src/api/types.ts';
import type { Answers } from '../answer-calls.ts';
import {
  ACCOUNT_NAMES,
  AT,
  LONG,
  many,
  uuid,
  PROVIDER_MESSAGE,
  COUNTS,
  list,
  one,
} from './values.ts';

const { id, customUserId, messageId, email, url, words } = LONG;
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
  name: words.slice(0, 200),
  tags: Array.from({ length: 10 }, (_, tag) => `${tag}${'w'.repeat(49)}`),
  channel: CHANNELS[index] ?? 'EMAIL',
  purpose: 'transactional',
  source: 'dashboard',
  automation: null,
  status,
  failureReason: status === 'failed' ? 'segment_too_slow' : null,
  message: { title: words, body: words },
  templates: [
    { slug: LONG.templateSlug, version: 1_000_000, share: 1_000 },
    { slug: null, version: null, share: 1 },
  ],
  winner: {
    percent: 80,
    by: 'clicked',
    after: '10080m',
    decideAt: AT,
    waiting: 1_000_000,
    decision: { choice: null, certainty: 0.5, isManual: false, decidedAt: AT },
  },
  recipients: { requested: 1_000_000, unique: 1_000_000 },
  audience,
  schedule: { sendAt: AT, sendAtLocal: '2026-12-24T09:00', localTimePassed: 1_000_000 },
  recipientsDeletedAt: null,
  counts: COUNTS,
  result: computeCampaignResult(status, COUNTS, { provider_rejected: 10 }),
  failures,
  bounces: {},
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
const [scheduled] = campaigns as [Campaign];
/** Of the channel that reports most. */
const campaign: Campaign = { ...scheduled, channel: 'EMAIL', status: 'sending' };
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
  bounces: BOUNCE_CLASSES.map((each) => ({
    class: each,
    count: 100_000,
    ...EXPLANATIONS.bounceClass[each],
  })),
  accounts: ACCOUNT_NAMES.map((name) => ({
    name,
    sent: 999_990,
    delivered: 997_000,
    failed: 10,
    unknown: 1_000_000,
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
  bounce: { class: 'refused', evidence: '5.7.1 "larger than the current system limit"' },
  account: ACCOUNT_NAMES[index % ACCOUNT_NAMES.length] ?? null,
  accountReason: ACCOUNT_REASONS[index % ACCOUNT_REASONS.length] ?? null,
  attempts: 12,
  createdAt: AT,
  sentAt: AT,
  deliveredAt: AT,
  displayedAt: AT,
  openedAt: AT,
  clickedAt: AT,
  updatedAt: AT,
  template: { slug: index === 0 ? null : LONG.templateSlug, version: index || null },
  person: index === 0 ? null : { firstName: 'عایشه', lastName: null, email, phoneNumber: null },
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
      notReachable: 4,
    },
    rates: {
      opened: { rate: 0.4, low: 0.399_023, high: 0.400_977 },
      clicked: { rate: 0.12, low: 0.119_365, high: 0.120_638 },
    },
  })),
  best: {
    opened: { index: 0, certainty: 0.999_999, isBetter: true },
    clicked: { index: 0, certainty: 0.123_456, isBetter: false },
  },
  rest: null,
  asOf: AT,
};
const dryRun: DryRunAnswer = {
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

export const CAMPAIGN_ANSWERS: Answers = {
  'GET campaigns': list(...campaigns),
  'POST campaigns': one(dryRun),
  [`GET campaigns/${id}/report`]: one(report),
  [`GET campaigns/${LONG.scheduledId}/report`]: one({
    ...report,
    campaign: { ...scheduled, campaignId: LONG.scheduledId },
  } satisfies CampaignReport),
  [`GET campaigns/${id}/deliveries`]: list(...deliveries),
  [`GET campaigns/${id}/events`]: list(...campaignEvents),
  [`GET campaigns/${id}/webhooks`]: list(...emitted),
  [`GET campaigns/${id}/templates`]: one(comparison),
  [`POST campaigns/${id}/render`]: one({
    message: { title: words, body: words },
    template: { slug: LONG.templateSlug, version: 1_000_000 },
    variant: words,
    asOf: AT,
  }),
};
