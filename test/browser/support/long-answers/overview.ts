import { CHANNELS } from '@tidings/contracts/channels/channels';
import { countAttempts } from '@tidings/contracts/push/campaign-result';
import type { Attention, ListedChannel, Overview } from '@tidings/web/src/api/types.ts';
import { failingHealth } from '../channel-health.ts';
import type { Answers } from '../answer-calls.ts';
import { chart, hours } from './events.ts';
import { AT, COUNTS, one, LONG } from './values.ts';

const { id, url } = LONG;
const health = CHANNELS.map((channel): ListedChannel => ({
  channel,
  status: channel === 'SMS' ? 'not_configured' : 'ready',
  testedAt: AT,
  health: failingHealth(AT),
}));
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
    ...COUNTS,
    ...countAttempts(COUNTS, 0),
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

export const OVERVIEW_ANSWERS: Answers = {
  'GET overview': one(overview),
};
