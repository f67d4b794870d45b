import type { QuietHours } from '@tidings/contracts/policies';
import { offsetMs } from '@tidings/platform';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * End of the quiet hours at `atMs` in a time zone, in milliseconds since the epoch; null if it is
 * not quiet now. Quiet hours follow local clock time and end at the first instant whose local time
 * is outside. An hour skipped in spring is not waited for; an hour repeated in autumn is quiet both
 * times.
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
    // A daylight-saving change comes first: continue with the local time after it.
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
