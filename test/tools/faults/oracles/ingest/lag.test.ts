import { expect, test } from '@jest/globals';
import { smallestShareOf } from './lag.ts';

/** One sample per second of a topic that grows by ten records per second. */
const looks = (reads: readonly number[]) =>
  reads.map((read, second) => ({ at: second * 1_000, read, written: second * 10 }));

test('what is read as it comes is a share of one', () => {
  expect(smallestShareOf(looks([0, 10, 20, 30, 40]), 2_000)).toBe(1);
});

test('the share is that of the worst stretch, wherever it lies', () => {
  expect(smallestShareOf(looks([0, 10, 20, 20, 25, 55, 60]), 2_000)).toBe(0.25);
});

test('a run that is shorter than a stretch has none that is bad', () => {
  expect(smallestShareOf(looks([0, 0, 0]), 60_000)).toBe(1);
});
