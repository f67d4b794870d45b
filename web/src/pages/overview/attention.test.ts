import { expect, test } from '@jest/globals';
import { ATTENTION_KINDS } from '@tidings/contracts/attention';
import { formatCount } from '../../lib/format.ts';
import { describeAttention } from './attention.ts';

test.each(ATTENTION_KINDS)('%s has a subject, an explanation and a link', (kind) => {
  const { about, summary, to } = describeAttention({
    kind,
    at: null,
    count: 3,
    total: 9,
    channel: 'EMAIL',
    campaignId: 'c1',
    webhookId: 'w1',
    url: 'https://x.example/',
    address: '203.0.113.7',
  });

  expect([about, summary, to].join(' ')).not.toMatch(/undefined|_/);
  expect(to).toMatch(/^\/[a-z]/);
});

test.each([
  [{ kind: 'dead_letters', at: null, count: 1 }, 'bad', '1 dead letter'],
  [
    { kind: 'dead_letters', at: null, count: 1_000, hasMore: true },
    'bad',
    `More than ${formatCount(1_000)} dead letters`,
  ],
  [{ kind: 'channel_untested', at: null, channel: 'WEB_PUSH' }, 'warn', 'Web push'],
  [
    {
      kind: 'campaign_failing',
      at: null,
      channel: 'SMS',
      campaignId: 'c1',
      count: 2,
      total: 5,
      reason: 'failures',
    },
    'warn',
    'SMS: 2 of 5 failed',
  ],
  [
    {
      kind: 'campaign_failing',
      at: null,
      channel: 'SMS',
      campaignId: 'c1',
      count: 54,
      total: 54,
      reason: 'no_one_reached',
    },
    'bad',
    'SMS: none of 54 recipients reached',
  ],
  [
    {
      kind: 'campaign_failing',
      at: null,
      channel: 'SMS',
      campaignId: 'c1',
      count: 54,
      total: 54,
      reason: 'all_failed',
    },
    'bad',
    'SMS: 54 of 54 failed',
  ],
  [
    {
      kind: 'campaign_failing',
      at: null,
      channel: 'SMS',
      campaignId: 'c1',
      count: 0,
      total: 5,
      reason: 'failed',
    },
    'bad',
    'SMS: the campaign failed',
  ],
  [
    { kind: 'webhook_failing', at: null, webhookId: 'w1', url: 'https://x.example/' },
    'bad',
    'https://x.example/',
  ],
] as const)('%j', (item, tone, about) => {
  expect(describeAttention(item)).toMatchObject({ tone, about });
});
