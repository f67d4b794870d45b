import { expect, test } from '@jest/globals';
import { createHmac, randomBytes } from 'node:crypto';
import { hmacSha256 } from './hmac.ts';

const LENGTHS = [0, 1, 16, 31, 32, 63, 64, 65, 145, 255, 256];

test('equals createHmac for each key and text that fits, in any order of calls', () => {
  const pairs = LENGTHS.flatMap((textBytes) =>
    LENGTHS.filter((keyBytes) => keyBytes <= 64).flatMap((keyBytes) => [
      [randomBytes(keyBytes), randomBytes(textBytes)] as const,
      [Buffer.alloc(keyBytes, 0xff), Buffer.alloc(textBytes)] as const,
    ]),
  );
  const macs = pairs.map(([key, text]) => hmacSha256(key, text).toString('hex'));

  expect(macs).toEqual(
    pairs.map(([key, text]) => createHmac('sha256', key).update(text).digest('hex')),
  );
});

test('a longer key or text is rejected', () => {
  expect(() => hmacSha256(Buffer.alloc(65), Buffer.alloc(0))).toThrow(RangeError);
  expect(() => hmacSha256(Buffer.alloc(64), Buffer.alloc(257))).toThrow(RangeError);
});
