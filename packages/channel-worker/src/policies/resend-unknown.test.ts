import { expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts';
import type { ClaimedDelivery, StateChange } from '@tidings/db';
import { RETRY_POLICIES } from '../outcomes.ts';
import { resendUnknown } from './resend-unknown.ts';

const UNKNOWN: StateChange = {
  deliveryId: 'd',
  fence: 1,
  state: 'unknown',
  reason: 'outcome_unknown',
};
const MINUTE_MS = 60_000;

function outcome(
  channel: Channel,
  {
    setting,
    change = UNKNOWN,
    ...claimed
  }: { readonly setting?: boolean; readonly change?: StateChange } & Partial<ClaimedDelivery> = {},
): StateChange {
  const delivery: ClaimedDelivery = {
    deliveryId: 'd',
    fence: 1,
    customUserId: 'ada',
    serviceUserId: null,
    attempts: 0,
    doubts: 0,
    ageMs: 0,
    testAddress: null,
    profile: {},
    timeZone: null,
    suppression: null,
    settingsVersion: 1,
    ...claimed,
  };
  return resendUnknown(delivery, change, { channel, setting, policy: RETRY_POLICIES[channel] });
}

test('SMS and e-mails stay unknown unless the application wants otherwise', () => {
  expect(outcome('SMS')).toEqual(UNKNOWN);
  expect(outcome('EMAIL')).toEqual(UNKNOWN);
});

test('with its consent they are sent once more, an SMS not before its look-up is over', () => {
  expect(outcome('SMS', { setting: true })).toEqual({
    ...UNKNOWN,
    state: 'retry_wait',
    delayMs: 20 * MINUTE_MS,
  });
  expect(outcome('EMAIL', { setting: true })).toEqual({
    ...UNKNOWN,
    state: 'retry_wait',
    delayMs: MINUTE_MS,
  });
  expect(outcome('SMS', { setting: true, doubts: 1 })).toEqual(UNKNOWN);
});

test('hooks are tried again like after a refusal, until that ends', () => {
  const { attemptsMin, ageMinMs } = RETRY_POLICIES.WEB_HOOK;

  expect(outcome('WEB_HOOK', { doubts: 3 })).toMatchObject({
    state: 'retry_wait',
    reason: 'outcome_unknown',
    delayMs: expect.any(Number),
  });
  expect(outcome('WEB_HOOK', { attempts: attemptsMin, ageMs: ageMinMs })).toEqual(UNKNOWN);
  expect(outcome('WEB_HOOK', { setting: false })).toEqual(UNKNOWN);
});

test('a test send is told as it is, and what is known is left alone', () => {
  expect(outcome('WEB_HOOK', { testAddress: 'ada' })).toEqual(UNKNOWN);
  expect(outcome('WEB_HOOK', { change: { ...UNKNOWN, state: 'sent' } })).toEqual({
    ...UNKNOWN,
    state: 'sent',
  });
});
