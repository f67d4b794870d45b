import { describe, expect, test } from '@jest/globals';
import { randomFrom } from '@tidings/testing';
import { findBest, rateOf, type Tried } from './compare-rates.ts';

const EXPERIMENTS = 10_000;

/** How many of `of` people did what each does with probability `rate`: drawn from one to the next. */
function draw(random: () => number, of: number, rate: number): Tried {
  const perStep = 1 / Math.log(1 - rate);
  let hits = 0;
  for (let at = -1; ; hits += 1) {
    at += 1 + Math.floor(Math.log(1 - random()) * perStep);
    if (at >= of) return { hits, of };
  }
}

/** The percentage of experiments that name a better variant, by its index. */
function simulate(rates: readonly number[], sizes: readonly number[], seed: number): number[] {
  const random = randomFrom(seed);
  const wins = rates.map(() => 0);
  for (let experiment = 0; experiment < EXPERIMENTS; experiment += 1) {
    const best = findBest(rates.map((rate, index) => draw(random, sizes[index] ?? 0, rate)));
    if (best?.isBetter === true) wins[best.index] = (wins[best.index] ?? 0) + 1;
  }
  return wins.map((won) => (100 * won) / EXPERIMENTS);
}
const total = (parts: readonly number[]): number => parts.reduce((sum, part) => sum + part, 0);
const times = (count: number, value: number): number[] =>
  Array.from({ length: count }, () => value);

describe('of 10,000 experiments with equal variants, 5 % ± 0.7 name a better one', () => {
  test.each([
    { variants: 2, of: 1_000, rate: 0.03 },
    { variants: 2, of: 200, rate: 0.3 },
    { variants: 5, of: 500, rate: 0.1 },
    { variants: 10, of: 1_000, rate: 0.03 },
    { variants: 10, of: 200, rate: 0.3 },
  ])('$variants variants of $of people, rate $rate', ({ variants, of, rate }) => {
    const named = total(simulate(times(variants, rate), times(variants, of), 17));

    expect(named).toBeGreaterThanOrEqual(4.3);
    expect(named).toBeLessThanOrEqual(5.7);
  });
});

test('with few people or unequal shares, equal variants seldom give a better one', () => {
  expect(total(simulate(times(2, 0.05), times(2, 40), 3))).toBeLessThanOrEqual(5.7);
  expect(total(simulate(times(10, 0.05), times(10, 40), 3))).toBeLessThanOrEqual(5.7);
  expect(total(simulate(times(3, 0.1), [2_000, 300, 300], 3))).toBeLessThanOrEqual(5.7);
});

test('a clear difference is found, and it is the right one', () => {
  const [first = 0, second = 0] = simulate([0.05, 0.08], [1_500, 1_500], 5);
  const ten = simulate([...times(9, 0.1), 0.16], times(10, 500), 5);

  expect(second).toBeGreaterThan(85);
  expect(first).toBeLessThan(0.1);
  expect(ten[9]).toBeGreaterThan(80);
  expect(total(ten.slice(0, 9))).toBeLessThan(0.5);
});

test('the probability is that of the exact test, with half of the observed table', () => {
  // Of 8 people 4 have each: C(4,3) C(4,1) / C(8,4) = 16/70, C(4,4) C(4,0) / C(8,4) = 1/70.
  expect(
    findBest([
      { hits: 3, of: 4 },
      { hits: 1, of: 4 },
    ])?.certainty,
  ).toBeCloseTo(1 - 2 * (16 / 70 / 2 + 1 / 70), 12);
});

test('large numbers agree with the normal distribution', () => {
  // Two proportions: z = 1.96 at 0.5 and 0.50196 of a quarter of a million each, p = 0.05.
  const { certainty = 0 } =
    findBest([
      { hits: 125_000, of: 250_000 },
      { hits: 125_693, of: 250_000 },
    ]) ?? {};

  expect(certainty).toBeCloseTo(0.95, 3);
});

describe('nothing is known of what nothing was counted of', () => {
  test.each([
    ['none', []],
    ['one', [{ hits: 3, of: 9 }]],
    [
      'one that someone got',
      [
        { hits: 3, of: 9 },
        { hits: 0, of: 0 },
      ],
    ],
  ])('%s', (_what, variants) => {
    expect(findBest(variants)).toBeNull();
  });

  test('without a hit, or with hits of all, none is better', () => {
    for (const hits of [0, 50])
      expect(findBest(times(3, 50).map((of) => ({ hits, of })))).toEqual({
        index: 0,
        certainty: 0,
        isBetter: false,
      });
  });
});

test('a variant that has not been sent yet is left out, and keeps its place', () => {
  expect(
    findBest([
      { hits: 0, of: 0 },
      { hits: 10, of: 100 },
      { hits: 40, of: 100 },
    ]),
  ).toMatchObject({ index: 2, isBetter: true });
});

describe("a rate has Wilson's interval", () => {
  test('of some', () => {
    // Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263 and 15 of 148.
    const rounded = ({ hits, of }: Tried) =>
      Object.values(rateOf({ hits, of }) ?? {}).map((value) => Math.round(value * 1e4) / 1e4);

    expect(rounded({ hits: 81, of: 263 })).toEqual([0.308, 0.2553, 0.3662]);
    expect(rounded({ hits: 15, of: 148 })).toEqual([0.1014, 0.0624, 0.1605]);
  });

  test('of none, of no hit and of hits of all', () => {
    expect(rateOf({ hits: 0, of: 0 })).toBeNull();
    expect(rateOf({ hits: 0, of: 20 })).toEqual({
      rate: 0,
      low: 0,
      high: expect.closeTo(0.1611, 4),
    });
    expect(rateOf({ hits: 20, of: 20 })).toEqual({
      rate: 1,
      low: expect.closeTo(0.8389, 4),
      high: 1,
    });
  });
});
