import { expect, test } from '@jest/globals';
import { fromBase36, toBase36 } from './base36.ts';

test.each([
  '00000000000000000000000000000000',
  'ffffffffffffffffffffffffffffffff',
  '01a1fda07f0173ac9ab182b6d3569097',
])('%s comes back as it was, in 25 characters', (hex) => {
  const text = toBase36(Buffer.from(hex, 'hex'));

  expect(text).toMatch(/^[0-9a-z]{25}$/);
  expect(fromBase36(text, 16)?.toString('hex')).toBe(hex);
  expect(fromBase36(text.toUpperCase(), 16)?.toString('hex')).toBe(hex);
});

test.each([
  ['too short', '0'.repeat(24)],
  ['too long', '0'.repeat(26)],
  ['another character', `${'0'.repeat(24)}-`],
  ['a letter that only looks like one', `${'0'.repeat(24)}\u212A`],
  ['more than 16 bytes', 'z'.repeat(25)],
  ['nothing', ''],
])('%s is null', (_name, text) => {
  expect(fromBase36(text, 16)).toBeNull();
});
