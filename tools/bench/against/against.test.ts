import { describe, expect, test } from '@jest/globals';
import type { Figure } from '../report/figures.ts';
import { comparePairs } from './compare.ts';
import { readUsage } from './usage.ts';

const rate = (value: number): Figure => ({ name: 'deliveries', value, unit: 'perSecond' });
const cpu = (value: number): Figure => ({
  name: 'CPU of worker, per delivery',
  value,
  unit: 'microseconds',
  goal: { atMost: 110 },
});

describe('a comparison', () => {
  test('has the ratio of each pair, and the median of each side', () => {
    const [compared] = comparePairs(
      [
        { here: [rate(300)], there: [rate(100)] },
        { here: [rate(800)], there: [rate(200)] },
        { here: [rate(500)], there: [rate(100)] },
      ],
      { deliveries: { atLeast: 3.5 } },
    );

    expect(compared).toMatchObject({ here: 500, there: 100, ratios: [3, 4, 5] });
  });

  test('keeps figures that only this checkout has, without a ratio', () => {
    const compared = comparePairs([
      { here: [rate(3), cpu(100)], there: [rate(2)] },
      { here: [rate(3), cpu(120)], there: [rate(2)] },
    ]);

    expect(compared[1]).toMatchObject({ here: 110, there: undefined, ratios: [] });
  });

  test('leaves out a pair that lacks the figure here', () => {
    const compared = comparePairs([
      { here: [cpu(100)], there: [cpu(200)] },
      { here: [rate(3)], there: [cpu(300)] },
    ]);

    expect(compared).toMatchObject([{ here: 100, there: 200, ratios: [0.5] }]);
  });
});

describe('the usage of a bench', () => {
  const before = readUsage(
    'npm run bench -- ingest [consumers|cpu|all …] [--quick]\nnpm run bench -- delivery [email|web-push-call|all …] [--quick]',
  );

  test('names the parts of each bench', () => {
    expect(before.hasPart('delivery', 'email')).toBe(true);
    expect(before.hasPart('ingest', 'email')).toBe(false);
    expect(before.hasPart('delivery', 'web-push')).toBe(false);
  });

  test('names the options', () => {
    const now = readUsage(
      'npm run bench -- delivery [email|all …] [--quick] [--empty | --rows small]',
    );

    expect(now.hasOption('--empty')).toBe(true);
    expect(now.hasOption('--rows')).toBe(true);
    expect(before.hasOption('--empty')).toBe(false);
    expect(before.hasOption('--quick')).toBe(true);
  });
});
