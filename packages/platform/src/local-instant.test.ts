import { describe, expect, test } from '@jest/globals';
import { localInstantMs } from './local-instant.ts';
import { offsetMs } from './local-time.ts';

const asUtc = (local: string): number => Date.parse(`${local}:00Z`);
const instantOf = (local: string, zone: string): string =>
  new Date(localInstantMs(asUtc(local), zone)).toISOString().slice(0, 16);

describe('the instant of a local time', () => {
  test.each([
    ['2026-12-24T09:00', 'UTC', '2026-12-24T09:00'],
    ['2026-12-24T09:00', 'Europe/Berlin', '2026-12-24T08:00'],
    ['2026-07-01T09:00', 'Europe/Berlin', '2026-07-01T07:00'],
    ['2026-12-24T09:00', 'America/New_York', '2026-12-24T14:00'],
    ['2026-12-24T09:00', 'Asia/Kolkata', '2026-12-24T03:30'],
    ['2026-12-24T09:00', 'Asia/Kathmandu', '2026-12-24T03:15'],
    ['2026-12-24T09:00', 'Pacific/Kiritimati', '2026-12-23T19:00'],
    ['2026-12-24T09:00', 'Etc/GMT+12', '2026-12-24T21:00'],
    ['2026-12-31T23:59', 'Pacific/Kiritimati', '2026-12-31T09:59'],
    // Days of a clock change, before and after it.
    ['2026-03-29T01:59', 'Europe/Berlin', '2026-03-29T00:59'],
    ['2026-03-29T03:00', 'Europe/Berlin', '2026-03-29T01:00'],
    ['2026-10-25T01:59', 'Europe/Berlin', '2026-10-24T23:59'],
    ['2026-10-25T03:00', 'Europe/Berlin', '2026-10-25T02:00'],
    ['2026-03-08T03:00', 'America/New_York', '2026-03-08T07:00'],
    ['2026-11-01T00:59', 'America/New_York', '2026-11-01T04:59'],
    ['2026-11-01T02:00', 'America/New_York', '2026-11-01T07:00'],
  ])('%s in %s is %s', (local, zone, instant) => {
    expect(instantOf(local, zone)).toBe(instant);
  });

  test.each([
    // Clocks go from 02:00 to 03:00.
    ['2026-03-29T02:00', 'Europe/Berlin', '2026-03-29T01:00'],
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:00'],
    ['2026-03-29T02:59', 'Europe/Berlin', '2026-03-29T01:00'],
    ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:00'],
    // By half an hour, from 02:00 to 02:30.
    ['2026-10-04T02:15', 'Australia/Lord_Howe', '2026-10-03T15:30'],
    // At midnight, from 00:00 to 01:00.
    ['2026-04-24T00:30', 'Africa/Cairo', '2026-04-23T22:00'],
    // A whole day.
    ['2011-12-30T09:00', 'Pacific/Apia', '2011-12-30T10:00'],
  ])('%s does not exist in %s: the first instant after the change', (local, zone, instant) => {
    expect(instantOf(local, zone)).toBe(instant);
  });

  test.each([
    ['2026-10-25T02:00', 'Europe/Berlin', '2026-10-25T00:00'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30'],
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30'],
    ['2026-04-05T01:45', 'Australia/Lord_Howe', '2026-04-04T14:45'],
  ])('%s comes twice in %s: the first', (local, zone, instant) => {
    expect(instantOf(local, zone)).toBe(instant);
  });

  const zones = Intl.supportedValuesOf('timeZone');

  test(`in each of ${zones.length} zones it is the first instant with this local time, or the first after it`, () => {
    const locals = ['2026-03-08T02:30', '2026-03-29T02:30', '2026-10-04T02:15', '2026-11-01T01:30'];
    for (const zone of zones) {
      for (const text of locals) {
        const local = asUtc(text);
        const at = localInstantMs(local, zone);
        const localTime = (instant: number): number => instant + offsetMs(instant, zone);
        expect([zone, text, localTime(at) >= local]).toEqual([zone, text, true]);
        // No quarter of an hour in the 26 hours before has this local time.
        const earlier = Array.from({ length: 26 * 4 }, (_, index) => at - (index + 1) * 900_000);
        const same = earlier.filter((instant) => localTime(instant) === local);
        expect([zone, text, same]).toEqual([zone, text, []]);
        expect([zone, text, localTime(at - 1) < local]).toEqual([zone, text, true]);
      }
    }
  }, 60_000);
});
