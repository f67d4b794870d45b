import { describe, expect, test } from '@jest/globals';
import { comparePhases, figuresOf, isWithin, judge, type Waits } from './comparisons.ts';

const SLICES = [
  { isBeside: false, from: 0, to: 10 },
  { isBeside: true, from: 10, to: 20 },
  { isBeside: false, from: 30, to: 40 },
];
const waited = (sentAt: number, ms: number) => ({ sentAt, ms });
const WAITS: Waits = {
  acceptance: [waited(1, 3), waited(31, 5), waited(11, 6), waited(12, Infinity), waited(25, 999)],
  listSent: [waited(1, 3)],
  segmentSent: [],
  reads: [],
};

describe('waits of a phase', () => {
  test('are those of requests that were sent in one of its slices', () => {
    expect(comparePhases({ waits: 'acceptance', part: 1 }, WAITS, SLICES)).toMatchObject({
      alone: 5,
      beside: Infinity,
    });
    expect(comparePhases({ waits: 'acceptance', part: 0.5 }, WAITS, SLICES)).toMatchObject({
      alone: 3,
      beside: 6,
    });
  });

  test('are unknown without any', () => {
    expect(comparePhases({ waits: 'listSent', part: 0.5 }, WAITS, SLICES)).toMatchObject({
      alone: 3,
      beside: undefined,
    });
  });
});

test('a bound holds also without the time for which processes had no CPU', () => {
  const compared = comparePhases(
    { waits: 'acceptance', part: 0.5 },
    {
      ...WAITS,
      acceptance: [
        { sentAt: 1, ms: 4, cpuWaitMs: 1 },
        { sentAt: 11, ms: 9, cpuWaitMs: 5 },
      ],
    },
    SLICES,
  );

  expect(compared).toEqual({ alone: 4, beside: 9, net: { alone: 3, beside: 4 } });
  expect([3, 1.5, 1.2].map((ratio) => judge(compared, { ratio }))).toEqual([
    'ok',
    'busy',
    'failed',
  ]);
});

describe('a bound', () => {
  test.each([
    [{ alone: 4, beside: 6 }, { ratio: 1.5 }, true],
    [{ alone: 4, beside: 6.1 }, { ratio: 1.5 }, false],
    [{ alone: 4, beside: 400 }, { ms: 500 }, true],
    [{ alone: 400, beside: 590 }, { ms: 500 }, false],
    [{ alone: 400, beside: 1_900 }, { ratio: 1.5, ms: 2_000 }, true],
    [{ alone: 4_000, beside: 5_900 }, { ratio: 1.5, ms: 2_000 }, true],
    [{ alone: 4, beside: Infinity }, { ratio: 1.5, ms: 2_000 }, false],
    [{ alone: 4, beside: undefined }, { ratio: 1.5 }, false],
    [{ alone: undefined, beside: 4 }, { ratio: 1.5 }, false],
    [{ alone: 4, beside: Infinity }, null, true],
  ])('of %j by %j: %s', (pair, bound, expected) => {
    expect(isWithin(pair, bound)).toBe(expected);
  });

  test('of the slowest acceptance is a time where all services share a thread', () => {
    const bounds = [true, false].map(
      (isOneProcess) =>
        figuresOf(isOneProcess).find(({ name }) => name === 'acceptance p99')?.bound,
    );

    expect(bounds).toEqual([{ ms: 500 }, { ratio: 1.5 }]);
  });
});
