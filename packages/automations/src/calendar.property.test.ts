import { expect, test } from '@jest/globals';
import { WEEKDAYS, type Weekday } from '@tidings/contracts/automations/calendar';
import {
  dateInstantMs,
  nextCronMs,
  nextLocalTimeMs,
  nextYearlyReturn,
  readCron,
} from '@tidings/platform';
import { propertyRuns } from '@tidings/testing';
import fc from 'fast-check';

// Beside the product stands a clock of `Intl` alone, which is read every quarter of an hour. All
// offsets of these years are whole quarters.
const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;

/** Half an hour, three quarters, changes at midnight, changes back in the southern spring. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Havana',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Etc/GMT+12',
];

const clocks = new Map(
  ZONES.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }),
  ]),
);
/** What a clock shows: `2026-11-29 09:00`, which is in the order of time. */
const shown = (at: number, zone: string): string => clocks.get(zone)?.format(at) ?? '';

/** The first quarter of an hour at which the clock shows this or later. */
function firstShowing(text: string, zone: string): number {
  const near = Date.parse(`${text.replace(' ', 'T')}Z`);
  let at = near - DAY_MS;
  while (shown(at, zone) < text) at += QUARTER_MS;
  return at;
}

/** Instants around the changes of the clocks of a zone, and any others. */
const zoneAndInstant = fc.constantFrom(...ZONES).chain((zone) => {
  const hours = (at: number): number => Date.parse(`${shown(at, zone).replace(' ', 'T')}Z`) - at;
  const changes: number[] = [];
  for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2029, 0, 1); at += DAY_MS)
    if (hours(at) !== hours(at + DAY_MS)) changes.push(at);
  const anywhere = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2029, 0, 1) });
  const nearChange =
    changes.length === 0
      ? anywhere
      : fc
          .tuple(fc.constantFrom(...changes), fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS }))
          .map(([change, by]) => change + by);
  return fc.tuple(fc.constant(zone), fc.oneof(nearChange, anywhere));
});
const time = fc
  .integer({ min: 0, max: 95 })
  .map((quarter) => new Date(quarter * QUARTER_MS).toISOString().slice(11, 16));
const dayText = (day: number): string => new Date(day).toISOString().slice(0, 10);

test('the next time of an allowed day is what a clock shows first', () => {
  fc.assert(
    fc.property(
      zoneAndInstant,
      time,
      fc.option(fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 })),
      ([timeZone, fromMs], at, days) => {
        const asked = days === null ? { time: at } : { time: at, days };
        const today = Date.parse(shown(fromMs, timeZone).slice(0, 10));
        let expected = Infinity;
        for (let day = today - DAY_MS; day < today + 9 * DAY_MS; day += DAY_MS) {
          const weekday = new Intl.DateTimeFormat('en', { timeZone: 'UTC', weekday: 'short' })
            .format(day)
            .toLowerCase() as Weekday;
          if (days !== null && !days.includes(weekday)) continue;
          const instant = firstShowing(`${dayText(day)} ${at}`, timeZone);
          if (instant >= fromMs) expected = Math.min(expected, instant);
        }

        expect(nextLocalTimeMs(asked, { timeZone, fromMs })).toBe(expected);
      },
    ),
    propertyRuns(100),
  );
});

test('a date moved by days, at a time of its day, is what a clock shows first', () => {
  fc.assert(
    fc.property(
      zoneAndInstant,
      time,
      fc.integer({ min: -40, max: 40 }),
      fc.boolean(),
      ([zone, instant], at, days, isDay) => {
        const value = isDay ? Math.floor(instant / DAY_MS) * DAY_MS : instant;
        const own =
          isDay || value % DAY_MS === 0 ? dayText(value) : shown(value, zone).slice(0, 10);
        const day = dayText(Date.parse(own) + days * DAY_MS);

        expect(dateInstantMs(value, { offset: `${days}d`, time: at }, zone)).toBe(
          firstShowing(`${day} ${at}`, zone),
        );
      },
    ),
    propertyRuns(300),
  );
});

test('a date returns each year once, 29 February on the 28th', () => {
  fc.assert(
    fc.property(
      zoneAndInstant,
      fc.date({ min: new Date('1930-01-01'), max: new Date('2020-01-01'), noInvalidDate: true }),
      time,
      ([timeZone, fromMs], born, at) => {
        const value = Math.floor(born.getTime() / DAY_MS) * DAY_MS;
        const [, month = '', day = ''] = dayText(value).split('-');
        const returns = [2025, 2026, 2027, 2028, 2029, 2030].map((year) => {
          const isMissing = month === '02' && day === '29' && year !== 2028;
          return firstShowing(`${year}-${month}-${isMissing ? '28' : day} ${at}`, timeZone);
        });
        const next = nextYearlyReturn(value, { time: at }, { timeZone, fromMs });
        const after = nextYearlyReturn(value, { time: at }, { timeZone, fromMs: next.atMs + 1 });
        const expected = returns.filter((each) => each >= fromMs);

        expect([next.atMs, after.atMs]).toEqual(expected.slice(0, 2));
      },
    ),
    propertyRuns(100),
  );
});

test('an instant of a schedule is what a clock shows first', () => {
  const some = (of: readonly number[]) =>
    fc.option(fc.uniqueArray(fc.constantFrom(...of), { minLength: 1 }));
  const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index);
  fc.assert(
    fc.property(
      zoneAndInstant,
      fc.uniqueArray(fc.constantFrom(0, 15, 30, 45), { minLength: 1 }),
      some(upTo(24)),
      some(upTo(7)),
      ([timeZone, afterMs], minutes, hours, weekdays) => {
        const cron = readCron(
          `${minutes.join(',')} ${hours?.join(',') ?? '*'} * * ${weekdays?.join(',') ?? '*'}`,
        );
        const today = Date.parse(shown(afterMs, timeZone).slice(0, 10));
        let expected = Infinity;
        for (let day = today - DAY_MS; expected === Infinity; day += DAY_MS)
          for (const hour of hours ?? upTo(24))
            for (const minute of minutes) {
              if (weekdays?.includes(new Date(day).getUTCDay()) === false) continue;
              const time = new Date((hour * 60 + minute) * 60_000).toISOString().slice(11, 16);
              const instant = firstShowing(`${dayText(day)} ${time}`, timeZone);
              if (instant > afterMs) expected = Math.min(expected, instant);
            }

        expect(cron && nextCronMs(cron, { timeZone, afterMs })).toBe(expected);
      },
    ),
    propertyRuns(20),
  );
});
