import { describe, expect, test } from '@jest/globals';
import { isLastOpen, toLines } from './chart-points.ts';

const HOUR_MS = 3_600_000;
const times = [0, 1, 2, 3].map((hour) => hour * HOUR_MS);

describe('the last bucket', () => {
  test.each([
    [3 * HOUR_MS, true],
    [4 * HOUR_MS - 1, true],
    [4 * HOUR_MS, false],
  ])('at %i is open: %p', (now, isOpen) => {
    expect(isLastOpen(times, now)).toBe(isOpen);
  });

  test('alone has no length', () => {
    expect(isLastOpen([0], 0)).toBe(false);
  });

  test('is a line of its own while it is open', () => {
    const series = [{ name: 'Events', values: [1, 2, 3, 4] }];

    expect(toLines(times, series, true)).toEqual([
      [0, 3_600, 7_200, 10_800],
      [1, 2, 3, null],
      [null, null, 3, 4],
    ]);
    expect(toLines(times, series, false).slice(1)).toEqual([
      [1, 2, 3, 4],
      [null, null, null, null],
    ]);
  });
});
