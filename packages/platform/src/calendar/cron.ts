import { localInstantMs } from '../local-instant.ts';
import { offsetMs } from '../local-time.ts';
import { DAY_MS, localDayMs } from './next-local-time.ts';

/** When something is to happen: minutes, hours, days of the month, months and weekdays. */
export type Cron = {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** Where both are limited, a day of either counts. */
  readonly isEither: boolean;
};

type Field = {
  readonly from: number;
  readonly to: number;
  /** Names of the values from `from` on. */
  readonly names?: readonly string[];
};

const FIELDS = [
  { from: 0, to: 59 },
  { from: 0, to: 23 },
  { from: 1, to: 31 },
  {
    from: 1,
    to: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { from: 0, to: 7, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
] as const satisfies readonly Field[];

const PART = /^(?:(\*)|([0-9]{1,2}|[a-z]{3})(?:-([0-9]{1,2}|[a-z]{3}))?)(?:\/([0-9]{1,2}))?$/;
const CHARS_MAX = 256;

/** Reads `minute hour day month weekday`; null if it is none, or never comes. */
export function readCron(text: string): Cron | null {
  const fields = text.length > CHARS_MAX ? [] : text.trim().toLowerCase().split(/\s+/);
  if (fields.length !== FIELDS.length) return null;
  const sets = fields.map((field, index) => readField(field, FIELDS[index] ?? FIELDS[0]));
  const [minutes, hours, days, months, weekdays] = sets;
  if (!minutes || !hours || !days || !months || !weekdays) return null;
  const cron: Cron = {
    minutes: [...minutes].toSorted((a, b) => a - b),
    hours: [...hours].toSorted((a, b) => a - b),
    days,
    months,
    // Sunday is 0 and 7.
    weekdays: new Set([...weekdays].map((day) => day % 7)),
    isEither: !fields[2]?.startsWith('*') && !fields[4]?.startsWith('*'),
  };
  return nextCronMs(cron, { timeZone: 'UTC', afterMs: 0 }) === null ? null : cron;
}

function readField(text: string, field: Field): Set<number> | null {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [, all, first, last, step] = PART.exec(part) ?? [];
    if (all === undefined && first === undefined) return null;
    const every = step === undefined ? 1 : Number(step);
    const from = all === undefined ? readValue(first ?? '', field) : field.from;
    // `5/10` is from 5 to the end.
    const alone = step === undefined ? from : field.to;
    const to = all === undefined ? (last === undefined ? alone : readValue(last, field)) : field.to;
    if (from === null || to === null || from > to || every < 1) return null;
    for (let value = from; value <= to; value += every) values.add(value);
  }
  return values;
}

function readValue(text: string, { from, to, names = [] }: Field): number | null {
  const named = names.indexOf(text);
  const value = named >= 0 ? named + from : /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  return value >= from && value <= to ? value : null;
}

/** No clock is set back further: earlier times of a day need no look. */
const BACK_MAX_MS = 3 * 3_600_000;
/** 29 February may be eight years away. */
const DAYS_AHEAD_MAX = 9 * 366;

/**
 * The first instant after `afterMs` by the clock of a zone, in milliseconds; null if there is none. A
 * time that a clock change skips is the first instant after it; of one that comes twice it is the
 * first.
 */
export function nextCronMs(
  cron: Cron,
  { timeZone, afterMs }: { readonly timeZone: string; readonly afterMs: number },
): number | null {
  const first = localDayMs(afterMs, timeZone);
  const from = afterMs + offsetMs(afterMs, timeZone) - BACK_MAX_MS;
  for (let ahead = 0; ahead < DAYS_AHEAD_MAX; ahead += 1) {
    const day = first + ahead * DAY_MS;
    if (!isDayOf(cron, day)) continue;
    for (const hour of cron.hours)
      for (const minute of cron.minutes) {
        const local = day + (hour * 60 + minute) * 60_000;
        const at = local < from ? -Infinity : localInstantMs(local, timeZone);
        if (at > afterMs) return at;
      }
  }
  return null;
}

/**
 * How close to each other its instants may be by the clock, in milliseconds. Infinity: there is one a
 * day, and never on the day after.
 */
export function leastGapMs(cron: Cron): number {
  const times = cron.hours.flatMap((hour) => cron.minutes.map((minute) => hour * 60 + minute));
  const first = times[0] ?? 0;
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  const overnight = first + DAY_MS / 60_000 - (times.at(-1) ?? 0);
  // Only where a day of it may follow another one does the last time of a day come before the first.
  if (overnight < Math.min(...gaps, Infinity) && hasNeighbours(cron)) gaps.push(overnight);
  return Math.min(...gaps, Infinity) * 60_000;
}

function hasNeighbours(cron: Cron): boolean {
  for (let ahead = 0; ahead < DAYS_AHEAD_MAX; ahead += 1)
    if (isDayOf(cron, ahead * DAY_MS) && isDayOf(cron, (ahead + 1) * DAY_MS)) return true;
  return false;
}

function isDayOf({ days, months, weekdays, isEither }: Cron, dayMs: number): boolean {
  const date = new Date(dayMs);
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const isDay = days.has(date.getUTCDate());
  const isWeekday = weekdays.has(date.getUTCDay());
  return isEither ? isDay || isWeekday : isDay && isWeekday;
}
