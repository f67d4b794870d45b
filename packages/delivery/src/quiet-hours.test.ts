import { describe, expect, test } from '@jest/globals';
import { localDay, offsetMs } from '@tidings/platform';
import { quietUntilMs } from './quiet-hours.ts';

const NIGHT = { from: '21:00', to: '08:00' };
const until = (
  at: string,
  hours: { readonly from: string; readonly to: string },
  timeZone = 'Europe/Berlin',
): string | null => {
  const ends = quietUntilMs(Date.parse(at), hours, timeZone);
  return ends === null ? null : new Date(ends).toISOString();
};

describe('quiet hours', () => {
  test.each([
    ['before the evening', '2026-06-10T18:59:59.999Z', null],
    ['from the first instant', '2026-06-10T19:00:00.000Z', '2026-06-11T06:00:00.000Z'],
    ['before midnight', '2026-06-10T21:30:00.123Z', '2026-06-11T06:00:00.000Z'],
    ['after midnight', '2026-06-10T22:30:00.000Z', '2026-06-11T06:00:00.000Z'],
    ['to the last instant', '2026-06-11T05:59:59.999Z', '2026-06-11T06:00:00.000Z'],
    ['and no longer', '2026-06-11T06:00:00.000Z', null],
  ])('over midnight: %s', (_name, at, expected) => {
    expect(until(at, NIGHT)).toBe(expected);
  });

  test.each([
    ['2026-06-10T10:59:00.000Z', null],
    ['2026-06-10T11:00:00.000Z', '2026-06-10T12:30:00.000Z'],
    ['2026-06-10T12:30:00.000Z', null],
  ])('within a day, at %s', (at, expected) => {
    expect(until(at, { from: '13:00', to: '14:30' })).toBe(expected);
  });

  test('of no length are never', () => {
    for (let hour = 0; hour < 24; hour += 1)
      expect(
        until(`2026-06-10T${String(hour).padStart(2, '0')}:00:00Z`, { from: '08:00', to: '08:00' }),
      ).toBeNull();
  });

  test.each([
    ['Europe/London', '2026-06-11T07:00:00.000Z'],
    ['Asia/Kolkata', '2026-06-11T02:30:00.000Z'],
    ['America/New_York', null],
    ['UTC', '2026-06-11T08:00:00.000Z'],
  ])('in %s', (timeZone, expected) => {
    expect(until('2026-06-10T22:30:00Z', NIGHT, timeZone)).toBe(expected);
  });
});

// Berlin, 29 March 2026: 02:00 is followed by 03:00. 25 October 2026: 03:00 is followed by 02:00.
describe('when the clocks change', () => {
  test('a night in spring is an hour shorter, one in autumn an hour longer', () => {
    expect(until('2026-03-28T20:00:00Z', NIGHT)).toBe('2026-03-29T06:00:00.000Z');
    expect(until('2026-10-24T19:00:00Z', NIGHT)).toBe('2026-10-25T07:00:00.000Z');
  });

  test('an end that is skipped is the moment of the change', () => {
    expect(until('2026-03-28T23:00:00Z', { from: '22:00', to: '02:30' })).toBe(
      '2026-03-29T01:00:00.000Z',
    );
    expect(until('2026-03-29T01:00:00Z', { from: '22:00', to: '02:30' })).toBeNull();
  });

  test('a beginning that is skipped is the moment of the change', () => {
    expect(until('2026-03-29T00:59:59Z', { from: '02:30', to: '08:00' })).toBeNull();
    expect(until('2026-03-29T01:00:00Z', { from: '02:30', to: '08:00' })).toBe(
      '2026-03-29T06:00:00.000Z',
    );
  });

  test('hours that are all skipped are not quiet', () => {
    for (const at of ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z', '2026-03-29T01:30:00Z'])
      expect(until(at, { from: '02:10', to: '02:50' })).toBeNull();
  });

  test('an hour that comes twice is quiet twice', () => {
    const hours = { from: '02:15', to: '02:45' };
    expect(until('2026-10-25T00:20:00Z', hours)).toBe('2026-10-25T00:45:00.000Z');
    expect(until('2026-10-25T00:50:00Z', hours)).toBeNull();
    expect(until('2026-10-25T01:20:00Z', hours)).toBe('2026-10-25T01:45:00.000Z');
  });

  test('an end at the moment of the change is the second one', () => {
    expect(until('2026-10-25T00:30:00Z', { from: '22:00', to: '03:00' })).toBe(
      '2026-10-25T02:00:00.000Z',
    );
  });

  test('by half an hour', () => {
    // Lord Howe, 4 October 2026: 02:00 is followed by 02:30.
    expect(
      until('2026-10-03T15:00:00Z', { from: '22:00', to: '02:15' }, 'Australia/Lord_Howe'),
    ).toBe('2026-10-03T15:30:00.000Z');
  });

  test('every minute of both nights ends where the clock on the wall says so', () => {
    for (const start of [Date.parse('2026-03-28T18:00:00Z'), Date.parse('2026-10-24T18:00:00Z')]) {
      for (let minute = 0; minute < 15 * 60; minute += 7) {
        const at = start + minute * 60_000;
        const ends = quietUntilMs(at, NIGHT, 'Europe/Berlin');
        const hour = new Date(at + offsetMs(at, 'Europe/Berlin')).getUTCHours();
        const endsAt =
          ends === null
            ? null
            : new Date(ends + offsetMs(ends, 'Europe/Berlin')).toISOString().slice(11);
        expect(endsAt).toBe(hour >= 21 || hour < 8 ? '08:00:00.000Z' : null);
      }
    }
  });
});

test.each([
  ['2026-11-20T22:59:59Z', 'Europe/Berlin', '2026-11-20'],
  ['2026-11-20T23:00:00Z', 'Europe/Berlin', '2026-11-21'],
  ['2026-11-20T11:00:00Z', 'Pacific/Kiritimati', '2026-11-21'],
  ['2026-11-20T00:00:00Z', 'America/Los_Angeles', '2026-11-19'],
])('the day at %s in %s is %s', (at, timeZone, expected) => {
  expect(localDay(Date.parse(at), timeZone)).toBe(expected);
});
