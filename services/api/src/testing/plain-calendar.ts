/** Steps of a calendar in plain code: charts share none of it. */
export type PlainStep = 'hour' | 'day' | 'week' | 'month';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** One for each time zone: to make one takes far longer than to use it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const clock =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  clocks.set(timeZone, clock);
  return clock;
}

/** What a clock on the wall shows, as if it were UTC, in milliseconds. */
function wallClock(at: number, timeZone: string): number {
  const parts = clockOf(timeZone).formatToParts(at);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

/**
 * The number of the step that contains an instant: later steps have larger ones, and those of days,
 * weeks and months have none between them.
 */
export function plainStep(at: number, step: PlainStep, timeZone: string): number {
  const wall = wallClock(at, timeZone);
  const day = Math.floor(wall / DAY_MS);
  const date = new Date(wall);
  // An hour that comes twice is two.
  if (step === 'hour')
    return Math.floor(wall / HOUR_MS) * HOUR_MS - (wall - Math.floor(at / 1_000) * 1_000);
  if (step === 'day') return day;
  // The epoch was a Thursday.
  if (step === 'week') return Math.floor((day + 3) / 7);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
