import { expect, test } from '@jest/globals';
import { median } from './median.ts';
import { percentile } from './percentile.ts';

test.each([
  [[3, 1, 2], 50, 2],
  [[3, 1, 2], 99, 3],
  [[3, 1, 2], 0, 1],
  [Array.from({ length: 200 }, (_, index) => index + 1), 99, 198],
  [[], 50, NaN],
])('of %j the %i%% is %d', (values, percent, expected) => {
  expect(percentile(values, percent)).toBe(expected);
});

test.each([
  [[3, 1, 2], 2],
  [[4, 1, 3, 2], 2.5],
])('of %j the median is %d', (values, expected) => {
  expect(median(values)).toBe(expected);
});
