import { expect, test } from '@jest/globals';
import { backoffMs } from './backoff.ts';

test('waits double up to a minute, and are spread over all of the time', () => {
  const longest = [0, 1, 2, 5, 6, 30, 2_000].map((attempt) => backoffMs(attempt, () => 1));

  expect(longest).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000]);
  expect(backoffMs(3, () => 0.25)).toBe(2_000);
});
