import { expect, test } from '@jest/globals';
import { findLongestGap } from './gaps.ts';

test('the longest time between two messages, in any order', () => {
  expect(findLongestGap([100, 900, 150, 400], [])).toEqual({ from: 400, to: 900, ms: 500 });
});

test('a message long after all others is a gap', () => {
  expect(findLongestGap([100, 200, 20_200], [])).toMatchObject({ ms: 20_000 });
});

test.each([
  // It came back in the middle of the gap, or went away then.
  [[{ from: 50, to: 400 }], 600],
  [[{ from: 900, to: 1_300 }], 800],
  // Several times, and once outside of it.
  [
    [
      { from: 200, to: 300 },
      { from: 600, to: 700 },
      { from: 2_000, to: 3_000 },
    ],
    700,
  ],
  [[{ from: 0, to: 2_000 }], 0],
])('a worker that is away sends nothing: %j', (away, ms) => {
  expect(findLongestGap([100, 1_000], away)).toMatchObject({ ms });
});

test('a shorter gap with a worker is longer than one without', () => {
  expect(findLongestGap([0, 5_000, 6_000], [{ from: 100, to: 4_900 }])).toEqual({
    from: 5_000,
    to: 6_000,
    ms: 1_000,
  });
});

test('less than two messages have no gap', () => {
  expect(findLongestGap([], [])).toMatchObject({ ms: 0 });
  expect(findLongestGap([5], [])).toMatchObject({ ms: 0 });
});
