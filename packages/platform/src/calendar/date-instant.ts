import { localInstantMs } from '../local-instant.ts';
import { offsetMs } from '../local-time.ts';
import { DAY_MS, startOfDayMs, timeOfDayMs } from './next-local-time.ts';

/** What is made of a date: the day that many days away, at a time of day, and that much later. */
export type DateShift = {
  /** A duration, with `-` before: earlier. Its days and weeks are those of a calendar. */
  readonly offset?: string | undefined;
  /** `HH:MM`. Absent: the date's own time; of a day, its beginning. */
  readonly time?: string | undefined;
};

const UNITS: Readonly<Record<string, { readonly days?: number; readonly ms?: number }>> = {
  m: { ms: 60_000 },
  h: { ms: 3_600_000 },
  d: { days: 1 },
  w: { days: 7 },
};

function readOffset(offset: string | undefined): { readonly days: number; readonly ms: number } {
  if (offset === undefined) return { days: 0, ms: 0 };
  const count = Number(offset.slice(0, -1));
  const { days = 0, ms = 0 } = UNITS[offset.slice(-1)] ?? {};
  return { days: count * days, ms: count * ms };
}

/** Zones have no rules of before, and dates of the first century are read as of the twentieth. */
const FIRST_MS = Date.UTC(1900, 0, 1);
/** Of JavaScript dates, with room for a shift. */
const LAST_MS = Date.UTC(200_000, 0, 1);

/** Whether a date can be shifted. */
export const isDateMs = (value: number): boolean => Math.abs(value) <= LAST_MS;

/** Midnight UTC says a day and no time: it is that day in every zone. */
const isDay = (value: number): boolean => value % DAY_MS === 0;

/** The date as a clock of the zone shows it, as if that were UTC. */
const toLocal = (value: number, timeZone: string): number =>
  isDay(value) || value < FIRST_MS ? value : value + offsetMs(value, timeZone);

const toInstant = (local: number, timeZone: string): number =>
  local < FIRST_MS ? local : localInstantMs(local, timeZone);

/** The instant of a date in a zone, in milliseconds. */
export function dateInstantMs(value: number, shift: DateShift, timeZone: string): number {
  const { days, ms } = readOffset(shift.offset);
  // Its own instant: of a time that comes twice it may be the second.
  if (shift.time === undefined && days === 0 && !isDay(value)) return value + ms;
  return shifted(toLocal(value, timeZone), shift, timeZone);
}

function shifted(local: number, { offset, time }: DateShift, timeZone: string): number {
  const { days, ms } = readOffset(offset);
  const at = time === undefined ? local : startOfDayMs(local) + timeOfDayMs(time);
  return toInstant(at + days * DAY_MS, timeZone) + ms;
}

/** A return of a date: its instant, and the day that it returns on, `YYYY-MM-DD`. */
export type DateReturn = { readonly atMs: number; readonly day: string };

/**
 * The first return of a date, in its own year or one after it, whose instant is not before `fromMs`.
 * 29 February returns on the 28th in years without it.
 */
export function nextYearlyReturn(
  value: number,
  shift: DateShift,
  { timeZone, fromMs }: { readonly timeZone: string; readonly fromMs: number },
): DateReturn {
  const local = toLocal(value, timeZone);
  const first = new Date(local).getUTCFullYear();
  const { days, ms } = readOffset(shift.offset);
  // Of `fromMs` without the offset, and a year before: zones and times of day move it a little.
  const near = new Date(fromMs - days * DAY_MS - ms).getUTCFullYear() - 1;
  for (let year = Math.max(first, near); ; year += 1) {
    const at = inYear(local, year);
    const atMs = shifted(at, shift, timeZone);
    if (atMs >= fromMs) return { atMs, day: new Date(at).toISOString().slice(0, -14) };
  }
}

function inYear(local: number, year: number): number {
  const date = new Date(local);
  const month = date.getUTCMonth();
  const moved = new Date(local);
  moved.setUTCFullYear(year);
  // 29 February of another year is 1 March.
  if (moved.getUTCMonth() !== month) moved.setUTCDate(0);
  return moved.getTime();
}
