import { expect, test } from '@jest/globals';
import { computeSmallestShare } from './lag.ts';

/** One sample per second of a topic that grows by ten records per second. */
const looks = (reads: readonly number[]) =>
  reads.map((read, second) => ({ at: second * 1_000, read, written: second * 10 }));

test('reading at the rate of arrival is a share of 1', () => {
  expect(computeSmallestShare(looks([0, 10, 20, 30, 40]), 2_000)).toBe(1);
});

test('the share is that of the worst window, wherever it is', () => {
  expect(computeSmallestShare(looks([0, 10, 20, 20, 25, 55, 60]), 2_000)).toBe(0.25);
});

test('a run shorter than a window has a share of 1', () => {
  expect(computeSmallestShare(looks([0, 0, 0]), 60_000)).toBe(1);
});
