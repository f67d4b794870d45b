import { expect, test } from '@jest/globals';
import { parseRetryAfterMs } from './retry-after.ts';

const NOW = Date.UTC(2026, 0, 1);

test.each([
  ['2', 2_000],
  [' 120 ', 120_000],
  ['0', 0],
  ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['soon', undefined],
  ['-5x', undefined],
  [undefined, undefined],
])('Retry-After %j is %j ms', (header, expected) => {
  expect(parseRetryAfterMs(header, NOW)).toBe(expected);
});
