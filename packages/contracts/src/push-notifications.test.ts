import { describe, expect, test } from '@jest/globals';
import { isDeviceToken, parseWebPushSubscription } from './push-notifications.ts';

const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) };
const endpoint = 'https://fcm.googleapis.com/fcm/send/abc';

describe('a subscription', () => {
  test('is read without what else browsers write into it', () => {
    expect(
      parseWebPushSubscription(
        JSON.stringify({ endpoint, expirationTime: null, keys: { ...keys, more: 1 } }),
      ),
    ).toEqual({ endpoint, keys });
  });

  test.each([
    ['no JSON', 'endpoint'],
    ['null', 'null'],
    ['a text', '"text"'],
    ['no endpoint', JSON.stringify({ keys })],
    ['an endpoint that is no URL', JSON.stringify({ endpoint: 'abc', keys })],
    ['an endpoint with a space', JSON.stringify({ endpoint: `${endpoint} x`, keys })],
    ['an endpoint of another scheme', JSON.stringify({ endpoint: 'ftp://a.example/x', keys })],
    [
      'an endpoint without end',
      JSON.stringify({ endpoint: `${endpoint}${'x'.repeat(1_500)}`, keys }),
    ],
    ['no keys', JSON.stringify({ endpoint })],
    ['a short public key', JSON.stringify({ endpoint, keys: { ...keys, p256dh: 'BAAA' } })],
    [
      'a secret of other letters',
      JSON.stringify({ endpoint, keys: { ...keys, auth: `${'A'.repeat(21)}+` } }),
    ],
    ['keys that are numbers', JSON.stringify({ endpoint, keys: { p256dh: 1, auth: 2 } })],
  ])('%s is none', (_what, text) => {
    expect(parseWebPushSubscription(text)).toBeNull();
  });
});

test.each([
  ['fGx:APA91b-_x', true],
  ['', false],
  ['two words', false],
  ['line\nbreak', false],
  ['x'.repeat(4_097), false],
])('%j as a token: %j', (text, is) => {
  expect(isDeviceToken(text)).toBe(is);
});
