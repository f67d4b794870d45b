import { expect, test } from '@jest/globals';
import type { AcceptedMessage } from '../../rigs/sandbox-control.ts';
import { checkStop, type Stop } from './stops.ts';

const STOP: Stop = {
  what: 'a pause',
  campaignId: 'c1',
  askedAt: 1_000,
  answeredAt: 1_050,
  inFlightMax: 2,
  withinMs: 2_000,
};
const message = (receivedAt: number, campaignId = 'c1'): AcceptedMessage => ({
  channel: 'SMS',
  to: '+49',
  campaignId,
  deliveryId: null,
  hookId: null,
  account: null,
  receivedAt,
});

test('sends in flight may still arrive, and another campaign continues', () => {
  const accepted = [
    message(900),
    message(1_020),
    message(1_060),
    message(3_050),
    message(9_000, 'c2'),
  ];

  expect(checkStop(accepted, STOP)).toEqual({
    note: 'a pause: 1 messages during the request (50 ms); 2 after the response, the last 2000 ms after it',
    violations: [],
  });
});

test.each([
  [
    'more than was in flight',
    [1_060, 1_070, 1_080],
    ['a pause: 3 messages were sent after the response, more than the 2 in flight'],
  ],
  [
    'a message that comes late',
    [3_051],
    ['a pause: a message was sent 2001 ms after the response, later than 2000 ms'],
  ],
])('%s is found', (_name, times, violations) => {
  expect(
    checkStop(
      [900, ...times].map((at) => message(at)),
      STOP,
    ).violations,
  ).toEqual(violations);
});

test('sends after the resume are not violations', () => {
  const accepted = [message(900), message(4_001), message(4_002), message(4_003)];

  expect(checkStop(accepted, { ...STOP, resumedAt: 4_000 }).violations).toEqual([]);
  expect(checkStop(accepted, STOP).violations).toHaveLength(2);
});

test('a campaign without earlier sends was not stopped in mid-flight', () => {
  expect(checkStop([message(900, 'c2')], STOP).violations).toEqual([
    'a pause: nothing of the campaign was sent before the request',
  ]);
});
