import type { Duration } from '@tidings/contracts/segments/leaves/parts';

const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

export const DURATION_MS_MAX = 3650 * 86_400_000;

/** A duration in milliseconds. Its form has been checked. */
export function toMs(duration: Duration): number {
  return Number(duration.slice(0, -1)) * (UNIT_MS[duration.slice(-1)] ?? Number.NaN);
}
