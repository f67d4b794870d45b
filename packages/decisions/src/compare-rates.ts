import { wilsonInterval } from '@tidings/platform';

/** How many of those who got a variant did what is compared. `hits` is at most `of`. */
export type Tried = { readonly hits: number; readonly of: number };

/** A rate, and the 95 % confidence interval by Wilson's score. Between 0 and 1. */
export type Rate = { readonly rate: number; readonly low: number; readonly high: number };

/** What is known of the best of several variants. */
export type Best = {
  /** Its place: the first with the highest rate. */
  readonly index: number;
  /** One less the probability that equal variants give a best one as far ahead of the others. */
  readonly certainty: number;
  /** Whether the certainty suffices to say that it is better than the others together. */
  readonly isBetter: boolean;
};

/** Of equal variants, one in twenty tests names a better one. */
const CERTAINTY_MIN = 0.95;

/** Null of none. */
export function rateOf({ hits, of }: Tried): Rate | null {
  if (of === 0) return null;
  const { low, high } = wilsonInterval({ hits, of });
  return { rate: hits / of, low: hits === 0 ? 0 : low, high: hits === of ? 1 : high };
}

/**
 * Compares the variant with the highest rate with the others together. Null without two variants
 * that someone got.
 *
 * Fisher's exact test, one-sided, with half of the probability of the observed table ("mid-p"), times
 * the number of variants (Bonferroni). Each variant's distance from the others is negatively
 * correlated with that of any other, so hardly two of them are far ahead in one test, and the sum is
 * nearly exact: equal variants give a better one in 5 % of tests, with two as with ten. With two it
 * is the two-sided test of two proportions. Comparing all pairs instead would ask for the 45th part.
 */
export function findBest(variants: readonly Tried[]): Best | null {
  const tried = variants.filter(({ of }) => of > 0);
  if (tried.length < 2) return null;
  const sum = (pick: (variant: Tried) => number): number =>
    tried.reduce((total, variant) => total + pick(variant), 0);
  const rates = variants.map(({ hits, of }) => (of === 0 ? -1 : hits / of));
  const index = rates.indexOf(Math.max(...rates));
  const { hits, of } = variants[index] ?? { hits: 0, of: 0 };
  const tail = tailOf({ hits, of, allHits: sum((one) => one.hits), all: sum((one) => one.of) });
  const certainty = 1 - Math.min(1, tail * tried.length);
  return { index, certainty, isBetter: certainty >= CERTAINTY_MIN };
}

/**
 * The probability that of `of` out of `all`, drawn without looking, more than `hits` are among the
 * `allHits`, and half of that of exactly as many.
 */
function tailOf({
  hits,
  of,
  allHits,
  all,
}: Tried & { readonly allHits: number; readonly all: number }): number {
  let term = Math.exp(
    lnChoose(allHits, hits) + lnChoose(all - allHits, of - hits) - lnChoose(all, of),
  );
  let tail = term / 2;
  // Beyond the mean, terms fall faster than a geometric series: what is left out does not count.
  for (let at = hits; at < Math.min(of, allHits) && term > tail * 1e-12; at += 1) {
    term *= ((allHits - at) * (of - at)) / ((at + 1) * (all - allHits - of + at + 1));
    tail += term;
  }
  return tail;
}

const lnChoose = (n: number, k: number): number =>
  lnFactorial(n) - lnFactorial(k) - lnFactorial(n - k);

const FACTORIALS = Array.from({ length: 20 }).reduce<number[]>(
  (known, _, index) => [...known, (known[index] ?? 1) * (index + 1)],
  [1],
);

/** By Stirling's series from 20 on: its error is below 1e-15. */
function lnFactorial(n: number): number {
  const small = FACTORIALS[n];
  if (small !== undefined) return Math.log(small);
  const series = 1 / (12 * n) - 1 / (360 * n ** 3) + 1 / (1260 * n ** 5) - 1 / (1680 * n ** 7);
  return (n + 0.5) * Math.log(n) - n + Math.log(2 * Math.PI) / 2 + series;
}
