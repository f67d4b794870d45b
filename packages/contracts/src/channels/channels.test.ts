import { describe, expect, test } from '@jest/globals';
import { ADDRESS_OF } from './addresses.ts';
import { CHANNEL_SLUGS, CHANNELS, chooseLane, RETRY_IF_UNKNOWN } from './channels.ts';
import {
  DELIVERY_REASONS,
  DELIVERY_STATES,
  STATE_GROUPS,
  SUCCESS_STATES,
} from '../push/deliveries.ts';
import { isDeviceChannel } from './device-channels.ts';
import { PUSH_MESSAGE_FIELDS, PUSH_MESSAGES } from '../push/push.ts';
import { shouldRetryUnknown } from '../push/retry-unknown.ts';

test('the names that callers use stay', () => {
  expect(CHANNELS).toEqual(
    expect.arrayContaining([
      'APP_PUSH',
      'EMAIL',
      'IN_APP',
      'ON_SITE',
      'SMS',
      'WEB_HOOK',
      'WEB_PUSH',
    ]),
  );
});

test.each(Object.entries({ CHANNEL_SLUGS, ADDRESS_OF, PUSH_MESSAGES, PUSH_MESSAGE_FIELDS }))(
  '%s has every channel and nothing else',
  (_name, map) => {
    expect(Object.keys(map).toSorted()).toEqual([...CHANNELS].toSorted());
  },
);

test('a slug names one channel', () => {
  expect(new Set(Object.values(CHANNEL_SLUGS)).size).toBe(CHANNELS.length);
});

test.each([
  [1, 'express'],
  [1_000, 'express'],
  [1_001, 'bulk'],
  [100_000, 'bulk'],
])('a campaign with %d recipients takes the %s lane', (recipients, lane) => {
  expect(chooseLane(recipients)).toBe(lane);
});

describe('campaigns', () => {
  test('every delivery state is counted in one group, and every success state in its own', () => {
    expect(Object.keys(STATE_GROUPS)).toEqual([...DELIVERY_STATES]);
    expect(SUCCESS_STATES.map((state) => STATE_GROUPS[state])).toEqual([...SUCCESS_STATES]);
  });

  test('states and reasons are closed lists without repetition', () => {
    expect(new Set(DELIVERY_STATES).size).toBe(DELIVERY_STATES.length);
    expect(new Set(DELIVERY_REASONS).size).toBe(DELIVERY_REASONS.length);
  });
});

describe('device-channels', () => {
  test('a user has several addresses on the two push channels alone', () => {
    expect(CHANNELS.filter(isDeviceChannel)).toEqual(['WEB_PUSH', 'APP_PUSH']);
  });

  test('where a user has several addresses a message may be sent again on doubt', () => {
    expect(CHANNELS.filter(isDeviceChannel).every((channel) => RETRY_IF_UNKNOWN[channel])).toBe(
      true,
    );
  });
});

describe('resending', () => {
  test.each([
    ['SMS', undefined, 0, false],
    ['SMS', true, 0, true],
    ['SMS', true, 1, false],
    ['EMAIL', undefined, 0, false],
    ['EMAIL', true, 0, true],
    ['EMAIL', true, 1, false],
    ['WEB_HOOK', undefined, 0, true],
    ['WEB_HOOK', undefined, 5, true],
    ['WEB_HOOK', false, 0, false],
    ['APP_PUSH', undefined, 3, true],
  ] as const)(
    '%s, the application says %s, after %d repeats: %s',
    (channel, setting, ambiguousAttempts, expected) => {
      expect(shouldRetryUnknown(channel, { setting, ambiguousAttempts })).toBe(expected);
    },
  );
});
