import { describe, expect, test } from '@jest/globals';
import { EXPLANATIONS } from '../errors/explanations/explanations.ts';
import { computeCampaignResult, countRetriable, isReported } from './campaign-result.ts';
import {
  CAMPAIGN_STATUSES,
  CAMPAIGN_VERDICTS,
  type CampaignCounts,
  type FailureCounts,
} from './campaigns.ts';
import { CHANNELS } from '../channels/channels.ts';
import { SUCCESS_STATES, UNREACHABLE_REASONS } from './deliveries.ts';

const NONE: CampaignCounts = {
  total: 0,
  pending: 0,
  waiting: 0,
  sent: 0,
  delivered: 0,
  displayed: 0,
  opened: 0,
  clicked: 0,
  successful: 0,
  failed: 0,
  unknown: 0,
  expired: 0,
  canceled: 0,
  unsubscribed: 0,
  complained: 0,
  machineOpened: 0,
  machineClicked: 0,
};
type Case = Partial<CampaignCounts> & { readonly failures?: FailureCounts };

const resultOf = (
  { failures = {}, ...counts }: Case,
  status: (typeof CAMPAIGN_STATUSES)[number] = 'completed',
) => {
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  return computeCampaignResult(status, { ...NONE, failed, ...counts }, failures);
};

describe('a rate', () => {
  test('is successful of attempted: canceled and expired recipients are neither', () => {
    expect(
      resultOf({ successful: 83, canceled: 600, expired: 5, failures: { provider_rejected: 17 } }),
    ).toMatchObject({ attempted: 100, successRate: 0.83 });
  });

  test('counts an unknown outcome as an attempt, and not as a success', () => {
    expect(resultOf({ successful: 1, unknown: 1 })).toMatchObject({
      attempted: 2,
      successRate: 0.5,
    });
  });

  test.each(UNREACHABLE_REASONS)('excludes and counts recipients that failed by %s', (reason) => {
    expect(
      resultOf({ successful: 2, failures: { [reason]: 3, provider_timeout: 2 } }),
    ).toMatchObject({ attempted: 4, notReachable: 3, successRate: 0.5 });
  });

  test('is null without an attempt', () => {
    expect(resultOf({ failures: { no_address: 54 } })).toMatchObject({
      attempted: 0,
      notReachable: 54,
      successRate: null,
    });
  });
});

describe('the verdict of a completed campaign', () => {
  test.each<[string, Case]>([
    ['successful', { successful: 42 }],
    ['successful', { successful: 31, failures: { no_address: 11 } }],
    ['successful', { successful: 1, waiting: 9 }],
    ['with_failures', { successful: 999, failures: { provider_rejected: 1 } }],
    ['with_failures', { waiting: 1, failures: { provider_rejected: 1 } }],
    ['with_failures', { unknown: 1, failures: { provider_rejected: 1 } }],
    ['all_failed', { failures: { provider_auth: 54 } }],
    ['all_failed', { expired: 3, failures: { provider_auth: 54, no_address: 2 } }],
    ['no_one_reached', { failures: { no_address: 54 } }],
    ['no_one_reached', { failures: { channel_not_configured: 54 } }],
    ['no_one_reached', { expired: 54 }],
    ['with_unknown', { unknown: 1 }],
    ['with_unknown', { successful: 5, unknown: 1 }],
    ['with_expired', { successful: 5, expired: 1 }],
    ['waiting', { waiting: 5, failures: { unknown_user: 1 } }],
  ])('is %s for %j', (verdict, counts) => {
    expect(resultOf(counts).verdict).toBe(verdict);
  });

  test('every verdict is one of the closed list, and no other status has one', () => {
    expect(CAMPAIGN_VERDICTS).toContain(resultOf({ successful: 1 }).verdict);
    for (const status of CAMPAIGN_STATUSES.filter((each) => each !== 'completed'))
      expect(resultOf({ failures: { provider_auth: 5 } }, status).verdict).toBeNull();
  });
});

describe('what a channel reports', () => {
  test('begins with the handover for each', () => {
    expect(CHANNELS.filter((channel) => !isReported(channel, 'sent'))).toEqual([]);
  });

  test('for e-mail are sent, opened and clicked: SMTP reports no delivery', () => {
    expect(SUCCESS_STATES.filter((state) => isReported('EMAIL', state))).toEqual([
      'sent',
      'opened',
      'clicked',
    ]);
  });
});

test('what may succeed when it is tried again has a cause that passes', () => {
  expect(countRetriable({ unknown_user: 2_000, invalid_address: 3, provider_rejected: 1 })).toBe(0);
  expect(
    countRetriable({
      unknown_user: 7,
      provider_timeout: 5,
      spend_cap: 4,
      channel_not_configured: 3,
    }),
  ).toBe(12);
});

test('what readers are advised to retry may succeed', () => {
  const advised = Object.entries(EXPLANATIONS.deliveryReason).filter(([, { remedy }]) =>
    remedy.includes('retry the failed messages'),
  );

  expect(advised.length).toBeGreaterThan(3);
  for (const [reason] of advised)
    expect([reason, countRetriable({ [reason]: 1 })]).toEqual([reason, 1]);
});
