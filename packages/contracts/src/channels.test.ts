import { expect, test } from '@jest/globals';
import { ADDRESS_OF } from './addresses.ts';
import { CHANNELS, CHANNEL_SLUGS, laneOf } from './channels.ts';
import { PUSH_MESSAGES, PUSH_MESSAGE_FIELDS } from './push.ts';

test('there are seven channels', () => {
  expect([...CHANNELS].toSorted()).toEqual([
    'APP_PUSH',
    'EMAIL',
    'IN_APP',
    'ON_SITE',
    'SMS',
    'WEB_HOOK',
    'WEB_PUSH',
  ]);
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
  expect(laneOf(recipients)).toBe(lane);
});
