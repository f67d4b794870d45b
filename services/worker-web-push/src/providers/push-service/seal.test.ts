import { describe, expect, test } from '@jest/globals';
import { WEB_PUSH_PAYLOAD_BYTES_MAX } from '@tidings/contracts/channels/push-notifications';
import { createECDH } from 'node:crypto';
import { createBrowser } from '../../testing/browser.ts';
import { createPushSender, sealPush, type PushSender } from './seal.ts';

/** Example of RFC 8291, section 5 and appendix A. */
const EXAMPLE = {
  sender: {
    privateKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
    publicKey:
      'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
    salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  },
  browser: {
    p256dh:
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  sharedSecret: 'kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs',
  text: 'When I grow up, I want to be a watermelon',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

function exampleSender(): PushSender {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(EXAMPLE.sender.privateKey, 'base64url');
  return {
    publicKey: ecdh.getPublicKey(),
    salt: Buffer.from(EXAMPLE.sender.salt, 'base64url'),
    sharedSecretWith: (browserKey) => ecdh.computeSecret(browserKey),
  };
}

test('the example of RFC 8291 has its bytes', () => {
  const sender = exampleSender();

  expect(sender.publicKey.toString('base64url')).toBe(EXAMPLE.sender.publicKey);
  expect(
    sender.sharedSecretWith(Buffer.from(EXAMPLE.browser.p256dh, 'base64url')).toString('base64url'),
  ).toBe(EXAMPLE.sharedSecret);
  expect(
    sealPush(Buffer.from(EXAMPLE.text), EXAMPLE.browser, exampleSender).toString('base64url'),
  ).toBe(EXAMPLE.body);
});

test('the longest payload makes the 4,096 bytes that every push service accepts', () => {
  const { keys } = createBrowser();

  expect(sealPush(Buffer.alloc(WEB_PUSH_PAYLOAD_BYTES_MAX), keys)).toHaveLength(4_096);
});

test('pushes share neither salt nor key of the sender, over several pages of random bytes', () => {
  const { keys } = createBrowser();
  const headers = Array.from({ length: 600 }, () => sealPush(Buffer.from('same'), keys));

  for (const [from, to] of [
    [0, 16],
    [21, 86],
    [86, 91],
  ])
    expect(new Set(headers.map((body) => body.subarray(from, to).toString('hex'))).size).toBe(600);
});

test('a sender replaces the key pair of the one before', () => {
  const browser = createBrowser();
  const senders = [createPushSender(), createPushSender()];

  expect(new Set(senders.map(({ publicKey }) => publicKey.toString('hex'))).size).toBe(2);
  expect(senders[1]?.sharedSecretWith(browser.publicKey)).toEqual(
    browser.ecdh.computeSecret(senders[1]?.publicKey ?? Buffer.alloc(0)),
  );
});

describe('keys of a browser are rejected', () => {
  const { keys } = createBrowser();
  const pointFrom = (change: (point: Buffer) => Buffer): string =>
    change(Buffer.from(keys.p256dh, 'base64url')).toString('base64url');
  const withX = (hex: string) => pointFrom((point) => (point.write(hex, 1, 'hex'), point));

  test.each([
    [
      'a point beside the curve',
      pointFrom((point) => (point.writeUInt8((point[64] ?? 0) ^ 1, 64), point)),
    ],
    ['the point at infinity', pointFrom(() => Buffer.from([0]))],
    ['zeros', pointFrom(() => Buffer.from([4, ...Buffer.alloc(64)]))],
    ['a coordinate beyond the field', withX('f'.repeat(64))],
    [
      'the hybrid form',
      pointFrom((point) => (point.writeUInt8(6 + ((point[64] ?? 0) & 1)), point)),
    ],
    [
      'the compressed form',
      pointFrom((point) => Buffer.from([2 + ((point[64] ?? 0) & 1), ...point.subarray(1, 33)])),
    ],
    ['one byte less', pointFrom((point) => point.subarray(0, 64))],
    ['one byte more', pointFrom((point) => Buffer.from([...point, 0]))],
    ['nothing', ''],
  ])('with a p256dh of %s', (_what, p256dh) => {
    expect(() => sealPush(Buffer.from('text'), { ...keys, p256dh })).toThrow();
  });

  test.each([0, 1, 15, 17, 32])('with an auth of %i bytes', (bytes) => {
    const auth = Buffer.alloc(bytes, 7).toString('base64url');

    expect(() => sealPush(Buffer.from('text'), { ...keys, auth })).toThrow();
  });

  test('and the next push is sealed', () => {
    expect(() =>
      sealPush(Buffer.from('text'), { ...keys, p256dh: withX('0'.repeat(64)) }),
    ).toThrow();

    expect(sealPush(Buffer.from('text'), keys)).toHaveLength(4 + 103);
  });
});
