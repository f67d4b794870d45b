import { describe, expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { StateChange } from '@tidings/delivery/change-states';
import type { ClaimedDelivery } from '@tidings/delivery/claims';
import { RETRY_POLICIES } from '../outcomes.ts';
import type { Prepared } from '../prepare.ts';
import { holdForQuietHours } from './hold-for-quiet-hours.ts';
import { resolvePolicies } from './send-policies.ts';
import { retryUnknown } from './retry-unknown.ts';

describe('policies-of', () => {
  const NIGHT = { from: '21:00', to: '08:00' };
  const NOON = { from: '12:00', to: '13:00' };
  const CAP = { messages: 3, windowHours: 24 };

  test('an application that says nothing has no policies', () => {
    expect(resolvePolicies('SMS', {})).toEqual({
      timeZone: 'UTC',
      quietHours: null,
      frequencyCap: null,
      dailyCap: null,
      resendOnUnknown: undefined,
      sendsUntested: false,
    });
  });

  test('what a channel has of its own comes before the default', () => {
    const settings = {
      timeZone: 'Europe/Berlin',
      quietHours: { default: NIGHT, SMS: NOON },
      frequencyCaps: { default: CAP, EMAIL: { messages: 0, windowHours: 1 } },
      dailyCaps: { SMS: 5, EMAIL: 0 },
      resendOnUnknown: { SMS: true },
    };

    expect(resolvePolicies('SMS', settings)).toEqual({
      timeZone: 'Europe/Berlin',
      quietHours: NOON,
      frequencyCap: CAP,
      dailyCap: 5,
      resendOnUnknown: true,
      sendsUntested: false,
    });
    expect(resolvePolicies('EMAIL', settings)).toEqual({
      timeZone: 'Europe/Berlin',
      quietHours: NIGHT,
      frequencyCap: null,
      dailyCap: null,
      resendOnUnknown: undefined,
      sendsUntested: false,
    });
  });

  test('an unknown time zone falls back to UTC', () => {
    expect(resolvePolicies('SMS', { timeZone: 'Europe/Atlantis' }).timeZone).toBe('UTC');
  });
});

describe('hold-for-quiet-hours', () => {
  const HOUR_MS = 3_600_000;
  // 22:00 in Berlin, 16:00 in New York.
  const now = Date.parse('2026-06-10T20:00:00Z');
  const NIGHT = { from: '21:00', to: '08:00' };

  const prepared = (deliveryId: string, timeZone: string | null): Prepared => ({
    delivery: {
      deliveryId,
      fence: 1,
      customUserId: deliveryId,
      serviceUserId: null,
      attempts: 0,
      ambiguousAttempts: 0,
      ageMs: 0,
      testAddress: null,
      profile: {},
      timeZone,
      suppression: null,
      settingsVersion: 1,
    },
    address: 'ada@example.org',
  });
  const deliveries = [
    prepared('unsaid', null),
    prepared('new york', 'America/New_York'),
    prepared('nonsense', '{"x":1}'),
    prepared('tokyo', 'Asia/Tokyo'),
  ];
  const hold = (
    purpose: 'marketing' | 'transactional',
    quietHours: Parameters<typeof holdForQuietHours>[1]['policies']['quietHours'],
  ) =>
    holdForQuietHours(deliveries, {
      purpose,
      policies: { quietHours, timeZone: 'Europe/Berlin' },
      now,
    });

  test('waits for the morning in the recipient’s time zone, or the application’s if unknown', () => {
    const { open, changes } = hold('marketing', NIGHT);

    expect(open.map(({ delivery }) => delivery.deliveryId)).toEqual(['new york']);
    expect(changes).toEqual([
      {
        deliveryId: 'unsaid',
        fence: 1,
        state: 'pending',
        reason: 'quiet_hours',
        delayMs: 10 * HOUR_MS,
      },
      {
        deliveryId: 'nonsense',
        fence: 1,
        state: 'pending',
        reason: 'quiet_hours',
        delayMs: 10 * HOUR_MS,
      },
      {
        deliveryId: 'tokyo',
        fence: 1,
        state: 'pending',
        reason: 'quiet_hours',
        delayMs: 3 * HOUR_MS,
      },
    ]);
  });

  test('fails where the application wants that', () => {
    expect(hold('marketing', { ...NIGHT, action: 'drop' }).changes).toContainEqual({
      deliveryId: 'tokyo',
      fence: 1,
      state: 'failed',
      reason: 'quiet_hours',
    });
  });

  test('is nothing to transactional messages, nor to an application without quiet hours', () => {
    expect(hold('transactional', NIGHT)).toEqual({ open: deliveries, changes: [] });
    expect(hold('marketing', null)).toEqual({ open: deliveries, changes: [] });
  });
});

describe('resend-unknown', () => {
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
    }: {
      readonly setting?: boolean;
      readonly change?: StateChange;
    } & Partial<ClaimedDelivery> = {},
  ): StateChange {
    const delivery: ClaimedDelivery = {
      deliveryId: 'd',
      fence: 1,
      customUserId: 'ada',
      serviceUserId: null,
      attempts: 0,
      ambiguousAttempts: 0,
      ageMs: 0,
      testAddress: null,
      profile: {},
      timeZone: null,
      suppression: null,
      settingsVersion: 1,
      ...claimed,
    };
    return retryUnknown(delivery, change, { channel, setting, policy: RETRY_POLICIES[channel] });
  }

  test('SMS and e-mails stay unknown unless the application wants otherwise', () => {
    expect(outcome('SMS')).toEqual(UNKNOWN);
    expect(outcome('EMAIL')).toEqual(UNKNOWN);
  });

  test('with its consent they are retried once, an SMS only after polling has ended', () => {
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
    expect(outcome('SMS', { setting: true, ambiguousAttempts: 1 })).toEqual(UNKNOWN);
  });

  test('hooks are tried again like after a refusal, until that ends', () => {
    const { attemptsMin, ageMinMs } = RETRY_POLICIES.WEB_HOOK;

    expect(outcome('WEB_HOOK', { ambiguousAttempts: 3 })).toMatchObject({
      state: 'retry_wait',
      reason: 'outcome_unknown',
      delayMs: expect.any(Number),
    });
    expect(outcome('WEB_HOOK', { attempts: attemptsMin, ageMs: ageMinMs })).toEqual(UNKNOWN);
    expect(outcome('WEB_HOOK', { setting: false })).toEqual(UNKNOWN);
  });

  test('a test send and a known outcome stay unchanged', () => {
    expect(outcome('WEB_HOOK', { testAddress: 'ada' })).toEqual(UNKNOWN);
    expect(outcome('WEB_HOOK', { change: { ...UNKNOWN, state: 'sent' } })).toEqual({
      ...UNKNOWN,
      state: 'sent',
    });
  });
});
