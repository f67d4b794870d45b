import { describe, expect, test } from '@jest/globals';
import { cutSlices, type Quarter, type Slice } from './slices.ts';

const QUARTER = 900_000;
const DAY = 86_400_000;
const cut = (quarters: readonly Quarter[], range: Slice) => cutSlices(quarters, range, 10);

describe('a range is cut', () => {
  test('not where its events are few', () => {
    expect(cut([{ at: 0, events: 10 }], { after: 5, before: DAY })).toEqual([
      { after: 5, before: DAY },
    ]);
  });

  test('between quarters, before they are too many', () => {
    const quarters = [6, 4, 1, 9, 3].map((events, index) => ({ at: index * QUARTER, events }));

    expect(cut(quarters, { after: 0, before: 5 * QUARTER })).toEqual([
      { after: 0, before: 2 * QUARTER },
      { after: 2 * QUARTER, before: 4 * QUARTER },
      { after: 4 * QUARTER, before: 5 * QUARTER },
    ]);
  });

  test('within a quarter that has too many', () => {
    expect(cut([{ at: QUARTER, events: 30 }], { after: 0, before: 3 * QUARTER })).toEqual([
      { after: 0, before: QUARTER + QUARTER / 3 },
      { after: QUARTER + QUARTER / 3, before: QUARTER + (2 * QUARTER) / 3 },
      { after: QUARTER + (2 * QUARTER) / 3, before: 2 * QUARTER },
      { after: 2 * QUARTER, before: 3 * QUARTER },
    ]);
  });

  test('to times that its sort can hold', () => {
    expect(cut([], { after: 0, before: 200 * DAY })).toEqual([
      { after: 0, before: 90 * DAY },
      { after: 90 * DAY, before: 180 * DAY },
      { after: 180 * DAY, before: 200 * DAY },
    ]);
  });

  test.each([0, 1, 2, 3])('into slices that follow each other (%i)', (seed) => {
    const quarters = Array.from({ length: 50 }, (_, index) => ({
      at: index * QUARTER,
      events: (index * (seed * 7 + 3)) % 25,
    }));
    const range = { after: seed * 1_234_567, before: 40 * QUARTER + seed };
    const slices = cut(quarters, range);

    expect(slices[0]?.after).toBe(range.after);
    expect(slices.at(-1)?.before).toBe(range.before);
    expect(slices.slice(1).map(({ after }) => after)).toEqual(
      slices.slice(0, -1).map(({ before }) => before),
    );
    expect(slices.every(({ after, before }) => before > after)).toBe(true);
  });
});
