import { expect, test } from '@jest/globals';
import type { SentPush } from '../../load/delivery/pushes.ts';
import type { AcceptedMessage } from '../../rigs/sandbox-control.ts';
import { timesToSend, quantile } from './time-to-send.ts';

const push = (campaignId: string | undefined, sentAt: number): SentPush => ({
  application: 0,
  channel: 'WEB_HOOK',
  key: 'a key',
  recipients: ['user-1'],
  body: '{}',
  attempts: [
    { sentAt: sentAt - 200 },
    { sentAt, status: 200, ...(campaignId !== undefined && { campaignId }) },
  ].slice(campaignId === 'retried' ? 0 : 1),
});
const message = (campaignId: string, at: number): AcceptedMessage => ({
  channel: 'WEB_HOOK',
  to: 'user-1',
  campaignId,
  deliveryId: campaignId,
  hookId: campaignId,
  account: null,
  receivedAt: performance.timeOrigin + at,
});

test('measures from the first request of a push to its first message; omits unsent pushes', () => {
  const pushes = [
    push('quick', 1_000),
    push('retried', 1_000),
    push('lost', 1_000),
    push(undefined, 1_000),
  ];
  const accepted = [
    message('quick', 1_070),
    message('quick', 1_030),
    message('retried', 1_030),
    message('of another', 1_001),
  ];

  expect(timesToSend(pushes, accepted).map(Math.round)).toEqual([30, 230]);
});

test.each([
  [[5], 0.99, 5],
  [Array.from({ length: 100 }, (_, index) => 100 - index), 0.99, 99],
  [Array.from({ length: 100 }, (_, index) => 100 - index), 0.5, 50],
  [Array.from({ length: 300 }, (_, index) => index), 0.99, 296],
])('a quantile is one of the values', (values, part, expected) => {
  expect(quantile(values, part)).toBe(expected);
});
