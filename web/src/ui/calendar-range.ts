import {
  fromAbsolute,
  parseDateTime,
  startOfMonth,
  startOfWeek,
  toZoned,
  type DateTimeDuration,
  type ZonedDateTime,
} from '@internationalized/date';

/** What a point of a chart, or a cohort, stands for. */
export type Period = 'hour' | 'day' | 'week' | 'month';

/** From the first instant to the one that no longer belongs to it, in milliseconds since the epoch. */
export type Range = { readonly from: number; readonly to: number };

/** The last so many units, the present one among them: `30d`. */
export type LastRange = {
  readonly value: string;
  readonly label: string;
  readonly count: number;
  readonly unit: Period;
};

const last = (value: string, count: number, unit: Period): LastRange => ({
  value,
  label: `last ${count} ${unit}s`,
  count,
  unit,
});

const RANGES = {
  '24h': last('24h', 24, 'hour'),
  '7d': last('7d', 7, 'day'),
  '14d': last('14d', 14, 'day'),
  '30d': last('30d', 30, 'day'),
  '90d': last('90d', 90, 'day'),
  '8w': last('8w', 8, 'week'),
  '12w': last('12w', 12, 'week'),
  '26w': last('26w', 26, 'week'),
  '52w': last('52w', 52, 'week'),
  '6mo': last('6mo', 6, 'month'),
  '12mo': last('12mo', 12, 'month'),
} as const;

/** The ranges that make sense with a period. The first is the standard. */
const RANGES_OF: Readonly<Record<Period, readonly LastRange[]>> = {
  hour: [RANGES['24h'], RANGES['7d'], RANGES['30d']],
  day: [RANGES['30d'], RANGES['7d'], RANGES['14d'], RANGES['90d'], RANGES['12mo']],
  week: [RANGES['12w'], RANGES['8w'], RANGES['26w'], RANGES['52w']],
  month: [RANGES['12mo'], RANGES['6mo']],
};

/** Shortest first, as a list shows them. */
export const rangesOf = (period: Period): readonly LastRange[] =>
  RANGES_OF[period].toSorted((one, other) => lengthOf(one) - lengthOf(other));

const HOURS = { hour: 1, day: 24, week: 168, month: 720 } as const;
const lengthOf = ({ count, unit }: LastRange): number => count * HOURS[unit];

/** The range that an address names, as far as it makes sense with the period. */
export function findRange(text: string, period: Period): LastRange {
  const all = RANGES_OF[period];
  const [standard = RANGES['30d']] = all;
  return all.find(({ value }) => value === text) ?? standard;
}

/** What was counted until now changes at most this often. */
const QUARTER_MS = 900_000;

/** The end of the present quarter of an hour: a question stays the same until then. */
const endOfQuarter = (now: number): number => Math.ceil((now + 1) / QUARTER_MS) * QUARTER_MS;

/** The beginning of the hour, day, week or month that contains an instant. Weeks begin on Monday. */
function startOf(period: Period, at: number, timeZone: string): ZonedDateTime {
  const zoned = fromAbsolute(at, timeZone);
  if (period === 'hour') return zoned.set({ minute: 0, second: 0, millisecond: 0 });
  const day = zoned.set({ hour: 0, minute: 0, second: 0, millisecond: 0 });
  if (period === 'day') return day;
  return period === 'week' ? startOfWeek(day, 'en', 'mon') : startOfMonth(day);
}

const toMs = (zoned: ZonedDateTime): number => zoned.toDate().getTime();

const of = (count: number, unit: Period): DateTimeDuration => ({ [`${unit}s`]: count });

/** An instant so many hours, days, weeks or months later, by the calendar of the zone. */
export const later = (at: number, by: readonly [number, Period], timeZone: string): number =>
  toMs(fromAbsolute(at, timeZone).add(of(...by)));

type Placed = { readonly now: number; readonly timeZone: string; readonly period: Period };

/** The instants of a range up to now. It begins with a whole period. */
export function rangeUpToNow({ count, unit }: LastRange, { now, timeZone, period }: Placed): Range {
  const first = startOf(unit, now, timeZone).subtract(of(count - 1, unit));
  return {
    from: toMs(startOf(period, toMs(first), timeZone)),
    to: endOfQuarter(now),
  };
}

/** The instants between two local times of a zone, `2026-11-02T00:00`; null if one of them is none. */
export function rangeBetween(from: string, to: string, timeZone: string): Range | null {
  try {
    return {
      from: toMs(toZoned(parseDateTime(from), timeZone)),
      to: toMs(toZoned(parseDateTime(to), timeZone)),
    };
  } catch {
    return null;
  }
}

/** An instant as a local time of a zone. */
export const localText = (at: number, timeZone: string): string =>
  fromAbsolute(at, timeZone).toString().slice(0, 'YYYY-MM-DDTHH:MM'.length);

/** The range of the same length just before, by the calendar of the zone. */
export function rangeBefore({ from, to }: Range, last: LastRange | null, timeZone: string): Range {
  if (last === null) return { from: from - (to - from), to: from };
  const by = [-last.count, last.unit] as const;
  return { from: later(from, by, timeZone), to: later(to, by, timeZone) };
}
