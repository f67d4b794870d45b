import { describe, expect, test } from '@jest/globals';
import { dateInstantMs, nextYearlyReturn, type DateShift } from './date-instant.ts';
import { nextLocalTimeMs, type LocalTime } from './next-local-time.ts';

const at = (text: string): number => Date.parse(`${text}Z`);
const text = (ms: number): string => new Date(ms).toISOString().slice(0, 16);

describe('the next time that a clock shows', () => {
  test.each<readonly [string, LocalTime, string, string]>([
    ['2026-11-29T07:59', { time: '09:00' }, 'Europe/Berlin', '2026-11-29T08:00'],
    ['2026-11-29T08:00', { time: '09:00' }, 'Europe/Berlin', '2026-11-29T08:00'],
    ['2026-11-29T08:00:00.001', { time: '09:00' }, 'Europe/Berlin', '2026-11-30T08:00'],
    ['2026-11-29T23:30', { time: '00:15' }, 'Europe/Berlin', '2026-11-30T23:15'],
    // 29 November 2026 is a Sunday.
    ['2026-11-29T08:01', { time: '09:00', days: ['sun'] }, 'UTC', '2026-11-29T09:00'],
    ['2026-11-29T09:01', { time: '09:00', days: ['sun'] }, 'UTC', '2026-12-06T09:00'],
    ['2026-11-29T09:01', { time: '09:00', days: ['fri', 'tue'] }, 'UTC', '2026-12-01T09:00'],
    // There it is Monday already.
    [
      '2026-11-29T12:00',
      { time: '03:00', days: ['mon'] },
      'Pacific/Kiritimati',
      '2026-11-29T13:00',
    ],
    // Skipped: the first minute that exists. It is past by a moment: the next day.
    ['2026-03-29T00:00', { time: '02:30' }, 'Europe/Berlin', '2026-03-29T01:00'],
    ['2026-03-29T01:01', { time: '02:30' }, 'Europe/Berlin', '2026-03-30T00:30'],
    // Twice: the first, and between both it is past.
    ['2026-10-25T00:00', { time: '02:30' }, 'Europe/Berlin', '2026-10-25T00:30'],
    ['2026-10-25T01:00', { time: '02:30' }, 'Europe/Berlin', '2026-10-26T01:30'],
  ])('from %s on, %j in %s, is %s', (from, time, timeZone, expected) => {
    expect(text(nextLocalTimeMs(time, { timeZone, fromMs: at(from) }))).toBe(expected);
  });
});

describe('the instant of a date', () => {
  test.each<readonly [string, DateShift, string, string]>([
    // Midnight UTC is a day.
    ['2026-12-01T00:00', {}, 'America/New_York', '2026-12-01T05:00'],
    ['2026-12-01T00:00', { time: '09:00' }, 'America/New_York', '2026-12-01T14:00'],
    ['2026-12-01T00:00', { time: '09:00', offset: '-3d' }, 'Europe/Berlin', '2026-11-28T08:00'],
    // Anything else is an instant, whose day is that of the zone.
    ['2026-12-01T02:00', {}, 'America/New_York', '2026-12-01T02:00'],
    ['2026-12-01T02:00', { offset: '-90m' }, 'America/New_York', '2026-12-01T00:30'],
    ['2026-12-01T02:00', { time: '09:00' }, 'America/New_York', '2026-11-30T14:00'],
    ['2026-12-01T02:00', { time: '09:00', offset: '2h' }, 'America/New_York', '2026-11-30T16:00'],
    // Days of an offset are those of a calendar, hours are not.
    ['2026-03-30T10:00', { offset: '-1d' }, 'Europe/Berlin', '2026-03-29T10:00'],
    ['2026-03-29T10:00', { offset: '-1d' }, 'Europe/Berlin', '2026-03-28T11:00'],
    ['2026-03-29T10:00', { offset: '-24h' }, 'Europe/Berlin', '2026-03-28T10:00'],
    ['2026-03-22T00:00', { offset: '1w', time: '02:30' }, 'Europe/Berlin', '2026-03-29T01:00'],
    // The second of a time that comes twice is that instant.
    ['2026-10-25T01:30', {}, 'Europe/Berlin', '2026-10-25T01:30'],
    ['2026-10-25T01:30', { time: '02:30' }, 'Europe/Berlin', '2026-10-25T00:30'],
    ['0001-01-01T00:00', { time: '09:00' }, 'Europe/Berlin', '0001-01-01T09:00'],
    ['9999-12-31T00:00', { time: '09:00' }, 'Asia/Tokyo', '9999-12-31T00:00'],
  ])('%s, %j in %s, is %s', (date, shift, zone, expected) => {
    expect(text(dateInstantMs(at(date), shift, zone))).toBe(expected);
  });
});

describe('the next return of a date', () => {
  test.each<readonly [string, string, DateShift, string, string, string]>([
    ['1990-05-12', '2026-11-29T12:00', {}, 'UTC', '2027-05-12T00:00', '2027-05-12'],
    [
      '1990-05-12',
      '2026-05-12T07:00',
      { time: '09:00' },
      'Europe/Berlin',
      '2026-05-12T07:00',
      '2026-05-12',
    ],
    [
      '1990-05-12',
      '2026-05-12T07:01',
      { time: '09:00' },
      'Europe/Berlin',
      '2027-05-12T07:00',
      '2027-05-12',
    ],
    ['1992-02-29', '2026-11-29T12:00', { time: '09:00' }, 'UTC', '2027-02-28T09:00', '2027-02-28'],
    ['1992-02-29', '2027-11-29T12:00', { time: '09:00' }, 'UTC', '2028-02-29T09:00', '2028-02-29'],
    ['1992-02-29', '2027-11-29T12:00', { offset: '1d' }, 'UTC', '2028-03-01T00:00', '2028-02-29'],
    // The days around a new year.
    ['1990-01-02', '2026-12-28T12:00', { offset: '-1w' }, 'UTC', '2027-12-26T00:00', '2028-01-02'],
    ['1990-01-02', '2026-12-25T12:00', { offset: '-1w' }, 'UTC', '2026-12-26T00:00', '2027-01-02'],
    ['1990-12-30', '2027-01-02T12:00', { offset: '1w' }, 'UTC', '2027-01-06T00:00', '2026-12-30'],
    [
      '1990-12-31',
      '2026-12-31T23:00',
      { time: '23:00' },
      'Etc/GMT+12',
      '2027-01-01T11:00',
      '2026-12-31',
    ],
    // Before its own year it does not return.
    ['2030-05-12', '2026-11-29T12:00', {}, 'UTC', '2030-05-12T00:00', '2030-05-12'],
    ['0001-05-12', '2026-11-29T12:00', { time: '09:00' }, 'UTC', '2027-05-12T09:00', '2027-05-12'],
  ])('of %s from %s on, %j in %s, is %s of %s', (date, from, shift, timeZone, expected, day) => {
    const next = nextYearlyReturn(at(`${date}T00:00`), shift, { timeZone, fromMs: at(from) });

    expect([text(next.atMs), next.day]).toEqual([expected, day]);
  });
});
