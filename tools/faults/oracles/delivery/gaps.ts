/** Times in milliseconds since the epoch. */
export type Interval = { readonly from: number; readonly to: number };

export type Gap = Interval & {
  /** Its length, without the time in which the worker was away. */
  readonly ms: number;
};

/**
 * The longest time without a message between the first and the last, without the intervals in which
 * the worker was away, which do not overlap. A message that comes long after all others counts:
 * something pending waited for it.
 */
export function findLongestGap(times: readonly number[], away: readonly Interval[]): Gap {
  const sorted = times.toSorted((a, b) => a - b);
  let longest: Gap = { from: 0, to: 0, ms: 0 };
  for (const [index, to] of sorted.entries()) {
    const from = sorted[index - 1] ?? to;
    const ms = to - from - away.reduce((sum, one) => sum + overlapMs({ from, to }, one), 0);
    if (ms > longest.ms) longest = { from, to, ms };
  }
  return longest;
}

function overlapMs(one: Interval, other: Interval): number {
  return Math.max(0, Math.min(one.to, other.to) - Math.max(one.from, other.from));
}
