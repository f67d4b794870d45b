import type { Random } from './random.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Durations that the conditions use, so that times stand at the edges of their windows. */
export const DURATIONS = ['1h', '90m', '1d', '7d', '2w', '30d', '90d'] as const;
export const DURATION_MS = [
  HOUR_MS,
  1.5 * HOUR_MS,
  DAY_MS,
  7 * DAY_MS,
  14 * DAY_MS,
  30 * DAY_MS,
  90 * DAY_MS,
];

/** A time near `now`, or exactly at the edge of a window, or a millisecond beside it. */
export function someTime(random: Random, now: number): number {
  if (random.chance(0.35)) return now - random.pick(DURATION_MS) + random.integer(-1, 1);
  if (random.chance(0.1)) return now + random.pick([0, 1, -1, HOUR_MS, DAY_MS]);
  if (random.chance(0.03)) return random.pick([0, -1, -62_135_596_800_000, 1_760_000_000]);
  // A grid of half hours makes equal times frequent.
  return now - random.integer(0, 120 * 48) * (HOUR_MS / 2);
}

export const PLANS = ['pro', 'free', 'PRO', 'pro ', '', '5', 'été', '🙂 smile'];
const NUMBERS = [0, 1, 5, 5.5, -3, 100, 199.99, 0.1, 0.3, 1e21, 1e-7, 9_007_199_254_740_992];
export const OPERANDS = [...NUMBERS, ...PLANS, true, false];

/** A value of any type, as a message may hold it. */
export function someValue(random: Random, now: number): unknown {
  switch (random.integer(0, 7)) {
    case 0:
    case 1:
      return random.pick(PLANS);
    case 2:
    case 3:
      return random.pick(NUMBERS);
    case 4:
      return random.chance(0.5);
    case 5:
      return someDate(random, now);
    case 6:
      return random.pick([9_007_199_254_740_993n, -9_223_372_036_854_775_808n]);
    default:
      return random.pick([{ b: 5 }, { b: 'pro' }, { b: [1, 2] }, { b: { '0': true } }, {}]);
  }
}

/** A date of the interface, or a text that only looks like one. */
export function someDate(random: Random, now: number): string {
  if (random.chance(0.75)) return new Date(someTime(random, now)).toISOString();
  return random.pick([
    '2026-02-30T00:00:00.000Z',
    '2026-13-01T00:00:00.000Z',
    '2026-05-01',
    '2026-05-01T00:00:00Z',
    '2026-05-01T24:00:00.000Z',
    '2026-05-01T10:00:00.000+02:00',
    '0000-01-01T00:00:00.000Z',
    '0001-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
    ' 2026-05-01T00:00:00.000Z',
  ]);
}
