import { describe, expect, test } from '@jest/globals';
import { computeTrend, type Point } from './series.ts';

const SAMPLES = 90;
const EVERY_SECONDS = 15;

function points(valueAt: (index: number) => number): Point[] {
  return Array.from({ length: SAMPLES }, (_, index) => ({
    atSeconds: index * EVERY_SECONDS,
    value: valueAt(index),
  }));
}
const noise = (index: number): number => ((index * 7919) % 13) / 13 - 0.5;

describe('the trend of a series', () => {
  const tolerance = { share: 0.05 };

  test.each([
    ['noise around a mean', (index: number) => 50 + 4 * noise(index), true],
    ['a warm-up that ends', (index: number) => 50 * (1 - Math.exp(-index / 6)), true],
    ['a fall', (index: number) => 100 - index / 2, true],
    ['a slow leak', (index: number) => 50 + index / 10 + noise(index), false],
    [
      'a leak that begins late',
      (index: number) => (index < 45 ? 50 : 50 + (index - 45) / 4),
      false,
    ],
  ])('%s', (_name, valueAt, isLevel) => {
    expect(computeTrend({ points: points(valueAt), tolerance }).isLevel).toBe(isLevel);
  });

  test('is reported per hour, in percent of the mean', () => {
    const { rise, risePercentPerHour } = computeTrend({
      points: points((index) => 100 + index),
      tolerance,
    });

    expect(rise).toBeCloseTo(59);
    expect(risePercentPerHour).toBeCloseTo((240 / (100 + 59.5)) * 100, 0);
  });

  test('of a series around zero uses an absolute tolerance', () => {
    expect(
      computeTrend({
        points: points((index) => Math.max(0, noise(index))),
        tolerance: { amount: 1 },
      }).isLevel,
    ).toBe(true);
    expect(
      computeTrend({ points: points((index) => index), tolerance: { amount: 1 } }).isLevel,
    ).toBe(false);
  });

  test('too few points have no trend', () => {
    expect(computeTrend({ points: [], tolerance }).isLevel).toBe(true);
    expect(computeTrend({ points: points(() => 1).slice(0, 1), tolerance }).isLevel).toBe(true);
  });
});
