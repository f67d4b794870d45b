import { expect, test } from '@jest/globals';
import { cpuWaitMs, waitedMs } from './cpu-waits.ts';

const samples = [
  { at: 0, sumMs: 0 },
  { at: 100, sumMs: 0 },
  { at: 300, sumMs: 100 },
  { at: 400, sumMs: 100 },
];

test.each([
  [{ from: 0, to: 400 }, 100],
  [{ from: 0, to: 100 }, 0],
  [{ from: 150, to: 250 }, 50],
  [{ from: 300, to: 1_000 }, 0],
  [{ from: -100, to: 200 }, 50],
])('counts only waits within %j', (window, expected) => {
  expect(waitedMs(samples, window)).toBe(expected);
});

test('a missing process has no waits', () => {
  expect(cpuWaitMs(2 ** 30)).toBe(0);
});
