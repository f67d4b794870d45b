import { WEEKDAYS, type Weekday } from '@tidings/contracts/automations/calendar';
import { localInstantMs } from '../local-instant.ts';
import { offsetMs } from '../local-time.ts';

export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** A time of day, `HH:MM`, on all days or on some. */
export type LocalTime = { readonly time: string; readonly days?: readonly Weekday[] };

/**
 * The first instant from `fromMs` on at which a clock of the zone shows the time, on an allowed day. A
 * time that a clock change skips is the first instant after it; of one that comes twice it is the
 * first. In milliseconds.
 */
export function nextLocalTimeMs(
  { time, days }: LocalTime,
  { timeZone, fromMs }: { readonly timeZone: string; readonly fromMs: number },
): number {
  let day = localDayMs(fromMs, timeZone);
  for (;;) {
    if (days === undefined || days.includes(weekdayOf(day))) {
      const at = localInstantMs(day + timeOfDayMs(time), timeZone);
      if (at >= fromMs) return at;
    }
    day += DAY_MS;
  }
}

/** The local day of an instant: its beginning as if it were UTC, in milliseconds. */
export const localDayMs = (atMs: number, timeZone: string): number =>
  startOfDayMs(atMs + offsetMs(atMs, timeZone));

export const startOfDayMs = (localMs: number): number => Math.floor(localMs / DAY_MS) * DAY_MS;

/** Milliseconds since midnight of `HH:MM`. */
export function timeOfDayMs(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * MINUTE_MS;
}

const weekdayOf = (dayMs: number): Weekday => WEEKDAYS[new Date(dayMs).getUTCDay()] ?? 'sun';
