import { describe, expect, test } from '@jest/globals';
import { renderPart } from './figures.ts';
import { median } from './median.ts';
import { sparkline } from './sparkline.ts';

describe('a report', () => {
  test('shows each figure with its goal and whether it is met', () => {
    const text = renderPart({
      title: 'Part',
      figures: [
        { name: 'ratio', value: 2.61, unit: 'ratio', goal: { atMost: 3 } },
        { name: 'share', value: 41.25, unit: 'percent', goal: { atLeast: 50 }, note: 'of COPY' },
        { name: 'lag', value: 7, unit: 'count' },
      ],
      data: {},
    });

    expect(text.split('\n').slice(4)).toEqual([
      expect.stringMatching(/^ {2}ratio +2\.61 × +≤ 3\.00 × +yes$/),
      expect.stringMatching(/^ {2}share +41\.3 % +≥ 50\.0 % +NO +of COPY$/),
      expect.stringMatching(/^ {2}lag +7$/),
    ]);
  });

  test('draws a line from zero to the maximum', () => {
    expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7], 8)).toBe('▁▂▃▄▅▆▇█');
    expect(sparkline([10, 10, 10], 8)).toBe('███');
    expect(sparkline([0, 0], 8)).toBe('▁▁');
    expect(sparkline([0, 4, 8, 8], 2)).toBe('▃█');
    expect(sparkline([], 8)).toBe('');
  });

  test('returns the median', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});
