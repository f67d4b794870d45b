import { describe, expect, test } from '@jest/globals';
import type { ChartStep } from '@tidings/api-spec/chart-steps';
import { localDay } from '@tidings/platform';
import { listLastStarts, listStarts } from './chart-steps.ts';

const starts = (step: ChartStep, timeZone: string, from: string, to: string): string[] =>
  listStarts({ from: Date.parse(from), to: Date.parse(to), step, timeZone }).map((at) =>
    new Date(at).toISOString().replace(':00.000Z', 'Z'),
  );

describe('days', () => {
  test.each([
    [
      'UTC',
      '2026-03-28T13:00Z',
      '2026-03-30T13:00Z',
      ['2026-03-28T00:00Z', '2026-03-29T00:00Z', '2026-03-30T00:00Z'],
    ],
    [
      'Asia/Kathmandu',
      '2026-03-28T18:14Z',
      '2026-03-29T18:16Z',
      ['2026-03-27T18:15Z', '2026-03-28T18:15Z', '2026-03-29T18:15Z'],
    ],
    ['Asia/Kolkata', '2026-03-28T18:30Z', '2026-03-29T18:30Z', ['2026-03-28T18:30Z']],
    [
      'America/St_Johns',
      '2026-03-07T12:00Z',
      '2026-03-09T12:00Z',
      ['2026-03-07T03:30Z', '2026-03-08T03:30Z', '2026-03-09T02:30Z'],
    ],
    [
      'Europe/Berlin, 23 hours',
      '2026-03-28T12:00Z',
      '2026-03-30T12:00Z',
      ['2026-03-27T23:00Z', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
    ],
    [
      'Europe/Berlin, 25 hours',
      '2026-10-24T12:00Z',
      '2026-10-26T12:00Z',
      ['2026-10-23T22:00Z', '2026-10-24T22:00Z', '2026-10-25T23:00Z'],
    ],
    [
      'Asia/Beirut, where midnight is skipped',
      '2026-03-28T12:00Z',
      '2026-03-30T12:00Z',
      ['2026-03-27T22:00Z', '2026-03-28T22:00Z', '2026-03-29T21:00Z'],
    ],
    [
      'America/Havana, where midnight comes twice',
      '2026-10-31T12:00Z',
      '2026-11-02T12:00Z',
      ['2026-10-31T04:00Z', '2026-11-01T04:00Z', '2026-11-02T05:00Z'],
    ],
    [
      'Pacific/Apia, without 30 December 2011',
      '2011-12-29T12:00Z',
      '2011-12-31T12:00Z',
      ['2011-12-29T10:00Z', '2011-12-30T10:00Z', '2011-12-31T10:00Z'],
    ],
  ])('of %s', (zone, from, to, expected) => {
    expect(starts('day', String(zone.split(',')[0]), from, to)).toEqual(expected);
  });
});

describe('hours', () => {
  test.each([
    [
      'Asia/Kathmandu',
      '2026-06-01T00:00Z',
      '2026-06-01T02:00Z',
      ['2026-05-31T23:15Z', '2026-06-01T00:15Z', '2026-06-01T01:15Z'],
    ],
    [
      'Asia/Kolkata',
      '2026-06-01T00:30Z',
      '2026-06-01T01:31Z',
      ['2026-06-01T00:30Z', '2026-06-01T01:30Z'],
    ],
    [
      'America/St_Johns',
      '2026-06-01T00:00Z',
      '2026-06-01T01:00Z',
      ['2026-05-31T23:30Z', '2026-06-01T00:30Z'],
    ],
    [
      'Europe/Berlin, an hour is skipped',
      '2026-03-29T00:00Z',
      '2026-03-29T02:00Z',
      ['2026-03-29T00:00Z', '2026-03-29T01:00Z'],
    ],
    [
      'Europe/Berlin, an hour comes twice',
      '2026-10-24T23:59Z',
      '2026-10-25T02:00Z',
      ['2026-10-24T23:00Z', '2026-10-25T00:00Z', '2026-10-25T01:00Z'],
    ],
    [
      'Australia/Lord_Howe, half an hour comes twice',
      '2026-04-04T14:00Z',
      '2026-04-04T17:00Z',
      ['2026-04-04T14:00Z', '2026-04-04T14:30Z', '2026-04-04T15:30Z', '2026-04-04T16:30Z'],
    ],
  ])('of %s', (zone, from, to, expected) => {
    expect(starts('hour', String(zone.split(',')[0]), from, to)).toEqual(expected);
  });

  test('of a year in any zone are contiguous, each a quarter of an hour to one hour long', () => {
    for (const timeZone of Intl.supportedValuesOf('timeZone')) {
      const all = listStarts({
        from: Date.UTC(2026, 2, 1),
        to: Date.UTC(2026, 3, 15),
        step: 'hour',
        timeZone,
      });
      const lengths = new Set(all.slice(1).map((at, index) => at - Number(all[index])));

      expect(
        [...lengths].filter(
          (length) => length % 900_000 !== 0 || length <= 0 || length > 3_600_000,
        ),
      ).toEqual([]);
    }
  });
});

describe('weeks', () => {
  test.each([
    [
      'UTC, from Monday',
      '2026-11-29T23:59Z',
      '2026-12-07T00:01Z',
      ['2026-11-23T00:00Z', '2026-11-30T00:00Z', '2026-12-07T00:00Z'],
    ],
    [
      'UTC, one that ends with the range',
      '2026-11-30T00:00Z',
      '2026-12-07T00:00Z',
      ['2026-11-30T00:00Z'],
    ],
    [
      'UTC, before the first Monday',
      '1970-01-01T00:00Z',
      '1970-01-02T00:00Z',
      ['1969-12-29T00:00Z'],
    ],
    [
      'Asia/Kathmandu',
      '2026-03-29T18:14Z',
      '2026-03-29T18:16Z',
      ['2026-03-22T18:15Z', '2026-03-29T18:15Z'],
    ],
    [
      'Europe/Berlin, 167 hours',
      '2026-03-23T12:00Z',
      '2026-03-30T12:00Z',
      ['2026-03-22T23:00Z', '2026-03-29T22:00Z'],
    ],
    [
      'Europe/Berlin, 169 hours',
      '2026-10-19T12:00Z',
      '2026-10-26T12:00Z',
      ['2026-10-18T22:00Z', '2026-10-25T23:00Z'],
    ],
    [
      'Australia/Lord_Howe, of 167.5 hours',
      '2026-09-28T12:00Z',
      '2026-10-05T12:00Z',
      ['2026-09-27T13:30Z', '2026-10-04T13:00Z'],
    ],
    [
      'Pacific/Kwajalein, without Saturday, 21 August 1993',
      '1993-08-18T12:00Z',
      '1993-08-24T12:00Z',
      ['1993-08-16T12:00Z', '1993-08-22T12:00Z'],
    ],
  ])('of %s', (zone, from, to, expected) => {
    expect(starts('week', String(zone.split(',')[0]), from, to)).toEqual(expected);
  });
});

describe('months', () => {
  test.each([
    [
      'UTC, of a leap year',
      '2028-01-31T12:00Z',
      '2028-03-01T00:01Z',
      ['2028-01-01T00:00Z', '2028-02-01T00:00Z', '2028-03-01T00:00Z'],
    ],
    [
      'UTC, over a year',
      '2026-12-31T23:59Z',
      '2027-01-01T00:01Z',
      ['2026-12-01T00:00Z', '2027-01-01T00:00Z'],
    ],
    [
      'Asia/Kathmandu',
      '2026-02-28T18:14Z',
      '2026-02-28T18:16Z',
      ['2026-01-31T18:15Z', '2026-02-28T18:15Z'],
    ],
    [
      'America/St_Johns, whose clocks change within',
      '2026-03-07T12:00Z',
      '2026-04-02T12:00Z',
      ['2026-03-01T03:30Z', '2026-04-01T02:30Z'],
    ],
    [
      'Africa/Cairo, where the clocks change within',
      '2026-04-20T12:00Z',
      '2026-05-02T12:00Z',
      ['2026-03-31T22:00Z', '2026-04-30T21:00Z'],
    ],
  ])('of %s', (zone, from, to, expected) => {
    expect(starts('month', String(zone.split(',')[0]), from, to)).toEqual(expected);
  });
});

describe.each(['week', 'month'] as const)('each %s of any zone', (step) => {
  // Zones that lost a date then, of which one is the first of a month and a week.
  test.each(['1993-08', '1994-12', '2026-03'])('in %s is whole days', (month) => {
    const from = Date.parse(month) + 10 * 86_400_000;
    const span = { from, to: from + 40 * 86_400_000 };
    for (const timeZone of Intl.supportedValuesOf('timeZone')) {
      const keyOf = (at: number): string => {
        const date = localDay(at, timeZone);
        if (step === 'month') return date.slice(0, 7);
        // The epoch was a Thursday.
        return String(Math.floor((Date.parse(date) / 86_400_000 + 3) / 7));
      };
      const days = listStarts({ ...span, from: from - 35 * 86_400_000, step: 'day', timeZone });
      const expected = days
        .filter((at, index) => index > 0 && keyOf(at) !== keyOf(Number(days[index - 1])))
        .filter((_, index, all) => Number(all[index + 1] ?? span.to) > span.from);

      expect([timeZone, listStarts({ ...span, step, timeZone })]).toEqual([timeZone, expected]);
    }
  });
});

describe('the last n steps', () => {
  test.each([
    [
      'hours of Asia/Kolkata at ten past',
      'Asia/Kolkata',
      'hour',
      24,
      '2026-06-02T10:40Z',
      '2026-06-01T11:30Z',
      '2026-06-02T10:30Z',
    ],
    [
      'hours of Asia/Kolkata at twenty to',
      'Asia/Kolkata',
      'hour',
      24,
      '2026-06-02T11:10Z',
      '2026-06-01T11:30Z',
      '2026-06-02T10:30Z',
    ],
    [
      'hours of Asia/Kathmandu as one begins',
      'Asia/Kathmandu',
      'hour',
      24,
      '2026-06-02T10:15Z',
      '2026-06-01T10:15Z',
      '2026-06-02T09:15Z',
    ],
    [
      'days of Europe/Berlin late in November',
      'Europe/Berlin',
      'day',
      30,
      '2026-11-10T22:30Z',
      '2026-10-11T22:00Z',
      '2026-11-09T23:00Z',
    ],
    [
      'days of Europe/Berlin in April',
      'Europe/Berlin',
      'day',
      30,
      '2026-04-10T22:30Z',
      '2026-03-12T23:00Z',
      '2026-04-10T22:00Z',
    ],
    [
      'hours of Australia/Lord_Howe, of which one is half',
      'Australia/Lord_Howe',
      'hour',
      3,
      '2026-04-04T16:00Z',
      '2026-04-04T14:00Z',
      '2026-04-04T15:30Z',
    ],
    [
      'days of Pacific/Apia, of which one is missing',
      'Pacific/Apia',
      'day',
      2,
      '2011-12-31T12:00Z',
      '2011-12-30T10:00Z',
      '2011-12-31T10:00Z',
    ],
    [
      'weeks of Australia/Lord_Howe',
      'Australia/Lord_Howe',
      'week',
      3,
      '2026-10-05T12:00Z',
      '2026-09-20T13:30Z',
      '2026-10-04T13:00Z',
    ],
    [
      'months of Asia/Kathmandu',
      'Asia/Kathmandu',
      'month',
      14,
      '2026-03-01T00:00Z',
      '2025-01-31T18:15Z',
      '2026-02-28T18:15Z',
    ],
    [
      'hours since the epoch',
      'UTC',
      'hour',
      1,
      '1970-01-01T00:30Z',
      '1970-01-01T00:00Z',
      '1970-01-01T00:00Z',
    ],
  ] as const)('%s', (_, timeZone, step, points, to, first, last) => {
    const all = listLastStarts({ points, to: Date.parse(to), step, timeZone });

    expect([all.length, all[0], all.at(-1)]).toEqual([points, Date.parse(first), Date.parse(last)]);
  });
});
