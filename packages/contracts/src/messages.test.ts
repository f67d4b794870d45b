import { describe, expect, test } from '@jest/globals';
import { isWebAddress } from './push/links.ts';
import { isDeviceToken, parseWebPushSubscription } from './channels/push-notifications.ts';
import { smsSegments } from './channels/sms-segments.ts';

describe('links', () => {
  describe('only http and https are addresses of the Web', () => {
    test.each([
      'https://shop.example',
      'HTTP://shop.example/x',
      ' https://shop.example ',
      'http:shop.example',
    ])('%j is', (text) => {
      expect(isWebAddress(text)).toBe(true);
    });

    test.each([
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      ' javascript:alert(1)',
      'java\nscript:alert(1)',
      '\u0001javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      'intent://x#Intent;end',
      'mailto:ada@example.org',
      'tel:+49151',
      '//shop.example',
      '/cart',
      '#top',
      '{{unsubscribe}}',
      'https://',
      '',
    ])('%j is not', (text) => {
      expect(isWebAddress(text)).toBe(false);
    });
  });
});

describe('sms-segments', () => {
  test.each([
    ['', 'GSM-7', 1],
    ['a'.repeat(160), 'GSM-7', 1],
    ['a'.repeat(161), 'GSM-7', 2],
    ['a'.repeat(306), 'GSM-7', 2],
    ['a'.repeat(307), 'GSM-7', 3],
    ['Grüße, ¿qué? à', 'GSM-7', 1],
    // Characters of the extension take two septets.
    ['€'.repeat(80), 'GSM-7', 1],
    ['€'.repeat(81), 'GSM-7', 2],
    // An escape is not separated from its character: 152, then the next part.
    [`${'a'.repeat(152)}€${'a'.repeat(151)}`, 'GSM-7', 2],
    [`${'a'.repeat(152)}€${'a'.repeat(152)}`, 'GSM-7', 3],
    ['я'.repeat(70), 'UCS-2', 1],
    ['я'.repeat(71), 'UCS-2', 2],
    ['я'.repeat(134), 'UCS-2', 2],
    ['я'.repeat(135), 'UCS-2', 3],
    [`${'a'.repeat(69)}я`, 'UCS-2', 1],
    ['`', 'UCS-2', 1],
    // An emoji is two units, and both go to the same part.
    ['👋'.repeat(35), 'UCS-2', 1],
    ['👋'.repeat(36), 'UCS-2', 2],
    ['👋'.repeat(66), 'UCS-2', 2],
    ['👋'.repeat(67), 'UCS-2', 3],
  ])('%j is %s in %i', (text, encoding, segments) => {
    expect(smsSegments(text)).toEqual({ encoding, segments });
  });
});

describe('push-notifications', () => {
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
});
