import type { ChartStep } from '@tidings/api-spec/chart-steps';
import { localDay, offsetMs } from '@tidings/platform';

export const STEP_MS = { hour: 3_600_000, day: 86_400_000 } as const satisfies Record<
  ChartStep,
  number
>;

type Steps = {
  readonly from: number;
  readonly to: number;
  readonly step: ChartStep;
  readonly timeZone: string;
};

/**
 * Start instants of the hours or days between `from` and `to` in a time zone, in milliseconds since
 * the epoch. The first one contains `from`. A day has 23, 24 or 25 hours. An hour repeated in
 * autumn is two points; one skipped in spring is none.
 */
export function listStarts({ from, to, step, timeZone }: Steps): number[] {
  return step === 'hour' ? listHourStarts(from, to, timeZone) : listDayStarts(from, to, timeZone);
}

type LastSteps = {
  readonly points: number;
  readonly to: number;
  readonly step: ChartStep;
  readonly timeZone: string;
};

/** Start instants of the last `points` hours or days. The last one contains `to`. */
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

function listDayStarts(from: number, to: number, timeZone: string): number[] {
  const starts: number[] = [];
  for (let day = Date.parse(localDay(from, timeZone)); ; day += STEP_MS.day) {
    const start = startOfDay(day, timeZone);
    // Some dates do not exist: Samoa skipped 30 December 2011.
    if (start === undefined) continue;
    if (start >= to) return starts;
    starts.push(start);
  }
}

/**
 * The first instant of a local date, given as midnight UTC. Local midnight may be skipped or occur
 * twice.
 */
function startOfDay(day: number, timeZone: string): number | undefined {
  const date = new Date(day).toISOString().slice(0, 10);
  return [day - STEP_MS.day, day + STEP_MS.day]
    .map((near) => day - offsetMs(near, timeZone))
    .toSorted((a, b) => a - b)
    .find((at) => localDay(at, timeZone) === date);
}
