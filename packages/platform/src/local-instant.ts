import { offsetMs } from './local-time.ts';

const DAY_MS = 86_400_000;

/**
 * The instant of a local date and time in a time zone, in milliseconds since the epoch. A time that
 * a clock change skips is the first instant after the change; of a time that comes twice it is the
 * first.
 * @param local the local time as if it were UTC, in milliseconds
 */
export function localInstantMs(local: number, timeZone: string): number {
  // Offsets are at most 14 hours, so the change of a clock near this time is between these.
  const candidates = [local - DAY_MS, local + DAY_MS].map((at) => local - offsetMs(at, timeZone));
  const exact = candidates.filter((at) => at + offsetMs(at, timeZone) === local);
  return exact.length > 0 ? Math.min(...exact) : firstInstantAfter(local, timeZone, candidates);
}

/** The first instant whose local time is later: the local time itself does not exist. */
function firstInstantAfter(local: number, timeZone: string, candidates: readonly number[]): number {
  let [before, after] = [Math.min(...candidates), Math.max(...candidates)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (middle + offsetMs(middle, timeZone) < local) before = middle;
    else after = middle;
  }
  return after;
}
