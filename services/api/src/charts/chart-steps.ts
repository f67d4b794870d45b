import type { ChartStep } from '@tidings/api-spec/chart-steps';
import { localDay, offsetMs } from '@tidings/platform';

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
const MONTH_DAYS_MAX = 31;

/** Without changes of clocks, and of the longest month. */
export const STEP_MS = {
  hour: 3_600_000,
  day: DAY_MS,
  week: WEEK_DAYS * DAY_MS,
  month: MONTH_DAYS_MAX * DAY_MS,
} as const satisfies Record<ChartStep, number>;

type Steps = {
  readonly from: number;
  readonly to: number;
  readonly step: ChartStep;
  readonly timeZone: string;
};

/**
 * Start instants of the hours, days, weeks or months between `from` and `to` in a time zone, in
 * milliseconds since the epoch. The first one contains `from`. Weeks begin on Mondays. A day has 23,
 * 24 or 25 hours. An hour repeated in autumn is two points; one skipped in spring is none.
 */
export function listStarts({ from, to, step, timeZone }: Steps): number[] {
  return step === 'hour'
    ? listHourStarts(from, to, timeZone)
    : listDayStarts({ from, to, step, timeZone });
}

/** The same, and the starts of `further` steps after them. */
export function listStartsWithNext(steps: Steps, further: number): number[] {
  const starts = listStarts(steps);
  // A clock change makes a step a few hours longer at most.
  const to = (starts.at(-1) ?? steps.to) + (further + 1) * STEP_MS[steps.step] + DAY_MS;
  return listStarts({ ...steps, to }).slice(0, starts.length + further);
}

type LastSteps = {
  readonly points: number;
  readonly to: number;
  readonly step: ChartStep;
  readonly timeZone: string;
};

/** Start instants of the last `points` steps. The last one contains `to`. */
export function listLastStarts({ points, to, ...rest }: LastSteps): number[] {
  // A day has up to 25 hours. A clock change can shorten an hour, never lengthen it.
  const from = Math.max(0, to - (points + 1) * STEP_MS[rest.step] - STEP_MS.day);
  return listStarts({ from, to, ...rest }).slice(-points);
}

function listHourStarts(from: number, to: number, timeZone: string): number[] {
  const starts: number[] = [];
  for (let start = startOfHour(from, timeZone); start < to;) {
    starts.push(start);
    // Where clocks change by half an hour, a local hour can be half as long.
    const next = startOfHour(start + STEP_MS.hour, timeZone);
    start = next > start ? next : start + STEP_MS.hour;
  }
  return starts;
}

function startOfHour(at: number, timeZone: string): number {
  const offset = offsetMs(at, timeZone);
  return Math.floor((at + offset) / STEP_MS.hour) * STEP_MS.hour - offset;
}

function listDayStarts({ from, to, step, timeZone }: Steps): number[] {
  const starts: number[] = [];
  for (let day = firstDay(Date.parse(localDay(from, timeZone)), step); ;) {
    const next = nextFirstDay(day, step);
    // Some dates do not exist: Samoa skipped 30 December 2011.
    let start = startOfDay(day, timeZone);
    for (let later = day + DAY_MS; start === undefined && later < next; later += DAY_MS)
      start = startOfDay(later, timeZone);
    day = next;
    if (start === undefined) continue;
    if (start >= to) return starts;
    starts.push(start);
  }
}

/** The first date of the step that has a date. Dates are midnights of UTC. */
function firstDay(day: number, step: ChartStep): number {
  const date = new Date(day);
  if (step === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  const sinceMonday = (date.getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS;
  return step === 'week' ? day - sinceMonday * DAY_MS : day;
}

/** And of the step after it. */
function nextFirstDay(day: number, step: ChartStep): number {
  const date = new Date(day);
  return step === 'month'
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
    : day + STEP_MS[step];
}

/**
 * The first instant of a local date, given as midnight UTC. Local midnight may be skipped or occur
 * twice.
 */
function startOfDay(day: number, timeZone: string): number | undefined {
  const date = new Date(day).toISOString().slice(0, 10);
  return [day - DAY_MS, day + DAY_MS]
    .map((near) => day - offsetMs(near, timeZone))
    .toSorted((a, b) => a - b)
    .find((at) => localDay(at, timeZone) === date);
}
