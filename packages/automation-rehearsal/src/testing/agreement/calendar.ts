import { HOUR_MS, MINUTE_MS } from './history.ts';

/** Clocks of people, by what a calendar shows at each quarter of an hour: without the product's code. */
const STEP_MS = 15 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const formats = new Map<string, Intl.DateTimeFormat>();
const shown = new Map<string, string>();

/** `2026-11-30 09:15`, as a clock in a zone shows an instant. */
function clockAt(at: number, zone: string): string {
  const key = `${at} ${zone}`;
  const known = shown.get(key);
  if (known !== undefined) return known;
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  formats.set(zone, format);
  const text = format.format(at);
  shown.set(key, text);
  return text;
}

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

const instants = new Map<string, number>();

/** The first instant at which the clock of a zone shows this time, or a later one if it is skipped. */
function instantOfClock(day: string, time: string, zone: string): number {
  const wanted = `${day} ${time}`;
  const key = `${wanted} ${zone}`;
  const known = instants.get(key);
  if (known !== undefined) return known;
  let at = Date.parse(`${day}T00:00:00Z`) - 15 * HOUR_MS;
  while (clockAt(at, zone) < wanted) at += STEP_MS;
  instants.set(key, at);
  return at;
}

/** The next instant from `from` on at which a clock shows this time, on one of these days. */
export function nextTime(
  { time, days = WEEKDAYS }: { readonly time: string; readonly days?: readonly string[] },
  { from, zone }: { readonly from: number; readonly zone: string },
): number {
  const today = clockAt(from, zone).slice(0, 10);
  for (let ahead = 0; ; ahead += 1) {
    const day = dayAfter(today, ahead);
    const weekday = WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] ?? '';
    if (!days.includes(weekday)) continue;
    const at = instantOfClock(day, time, zone);
    if (at >= from) return at;
  }
}

/** The instant that a date of a person means in their zone. */
export function dateInstant(
  date: number,
  { offset = '0d', time }: { readonly offset?: string; readonly time?: string },
  zone: string,
): number {
  const isDay = date % DAY_MS === 0;
  const [day = '', clock = ''] = isDay
    ? [new Date(date).toISOString().slice(0, 10), '00:00']
    : clockAt(date, zone).split(' ');
  const amount = Number(offset.slice(0, -1));
  const unit = offset.slice(-1);
  const days = unit === 'd' ? amount : unit === 'w' ? amount * 7 : 0;
  const added = unit === 'h' ? amount * HOUR_MS : unit === 'm' ? amount * MINUTE_MS : 0;
  const isShifted = isDay || days !== 0 || time !== undefined;
  return (isShifted ? instantOfClock(dayAfter(day, days), time ?? clock, zone) : date) + added;
}

/** The end of the quiet hours in which an instant lies; null: it lies in none. */
export function endOfQuiet(
  at: number,
  { from, to }: { readonly from: string; readonly to: string },
  zone: string,
): number | null {
  const [day = '', clock = ''] = clockAt(at, zone).split(' ');
  const isQuiet = from < to ? clock >= from && clock < to : clock >= from || clock < to;
  if (!isQuiet) return null;
  return instantOfClock(clock >= to ? dayAfter(day, 1) : day, to, zone);
}

/** Whether an instant is one of a cron of `definitions.ts`. */
export function isOfCron(at: number, cron: string, zone: string): boolean {
  const [minute = '', hour = '', , , weekday = ''] = cron.split(' ');
  const [day = '', clock = ''] = clockAt(at, zone).split(' ');
  const [hours = '', minutes = ''] = clock.split(':');
  const isOf = (field: string, value: number): boolean => {
    if (field === '*') return true;
    if (field.startsWith('*/')) return value % Number(field.slice(2)) === 0;
    const [first = 0, last = first] = field.split('-').map(Number);
    return value >= first && value <= last;
  };
  return (
    isOf(minute, Number(minutes)) &&
    isOf(hour, Number(hours)) &&
    isOf(weekday, new Date(`${day}T00:00:00Z`).getUTCDay())
  );
}
