import { expect, test } from '@jest/globals';
import { smsSegments } from './sms-segments.ts';

test.each([
  ['', 'GSM-7', 1],
  ['a'.repeat(160), 'GSM-7', 1],
  ['a'.repeat(161), 'GSM-7', 2],
  ['a'.repeat(306), 'GSM-7', 2],
  ['a'.repeat(307), 'GSM-7', 3],
  ['Grüße, ¿qué? à', 'GSM-7', 1],
  // Signs of the extension take two septets.
  ['€'.repeat(80), 'GSM-7', 1],
  ['€'.repeat(81), 'GSM-7', 2],
  // An escape is not parted from its sign: 152 and then the next part.
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
