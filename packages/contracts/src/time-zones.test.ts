import { expect, test } from '@jest/globals';
import { isTimeZone } from './time-zones.ts';

test.each([
  ['Europe/Berlin', true],
  ['America/Argentina/Buenos_Aires', true],
  ['Etc/GMT+5', true],
  ['UTC', true],
  ['Asia/Calcutta', true],
  ['+02:00', false],
  ['Europe/Atlantis', false],
  ['Berlin', false],
  ['', false],
  ['UTC\0', false],
  ['x'.repeat(10_000), false],
])('%j: %s', (text, expected) => {
  expect(isTimeZone(text)).toBe(expected);
});
