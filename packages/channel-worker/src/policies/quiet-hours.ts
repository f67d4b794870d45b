import type { QuietHours } from '@tidings/contracts';
import { offsetMs } from '@tidings/platform';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Until when nobody in a time zone is to be disturbed, in milliseconds since the epoch; null when it is not quiet now.
 * It is quiet while the clock on the wall says so, and so it ends at the first instant at which the clock says that it
 * is over: an hour that is skipped in spring is not waited for, one that comes twice in autumn is quiet both times.
 */
export function quietUntilMs(
  atMs: number,
  { from, to }: Pick<QuietHours, 'from' | 'to'>,
  timeZone: string,
): number | null {
  const window = { fromMs: timeOfDayMs(from), toMs: timeOfDayMs(to) };
  let endMs = atMs;
  for (;;) {
    const offset = offsetMs(endMs, timeZone);
    const time = modulo(endMs + offset, DAY_MS);
    if (!isWithin(window, time)) return endMs === atMs ? null : endMs;
    const expectedMs = endMs + modulo(window.toMs - time, DAY_MS);
    if (offsetMs(expectedMs, timeZone) === offset) return expectedMs;
    // The clocks are changed before that: what they say then decides.
    endMs = firstChangeMs(endMs, expectedMs, timeZone);
  }
}

function isWithin(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  time: number,
): boolean {
  return fromMs <= toMs ? fromMs <= time && time < toMs : fromMs <= time || time < toMs;
}

/** The first instant after `beforeMs`, up to `afterMs`, with another offset. */
function firstChangeMs(beforeMs: number, afterMs: number, timeZone: string): number {
  const offset = offsetMs(beforeMs, timeZone);
  let [before, after] = [beforeMs, afterMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetMs(middle, timeZone) === offset) before = middle;
    else after = middle;
  }
  return after;
}

function timeOfDayMs(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * MINUTE_MS;
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by;
