import { expect, test } from '@jest/globals';
import { CHANNELS, SENT_AGAIN_ON_DOUBT } from './channels.ts';
import { isDeviceChannel } from './device-channels.ts';

test('a user has several addresses on the two push channels alone', () => {
  expect(CHANNELS.filter(isDeviceChannel)).toEqual(['WEB_PUSH', 'APP_PUSH']);
});

test('where a user has several addresses a message may be sent again on doubt', () => {
  expect(CHANNELS.filter(isDeviceChannel).every((channel) => SENT_AGAIN_ON_DOUBT[channel])).toBe(
    true,
  );
});
