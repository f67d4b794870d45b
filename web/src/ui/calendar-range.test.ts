import { describe, expect, test } from '@jest/globals';
import {
  findRange,
  later,
  localText,
  rangeBefore,
  rangeBetween,
  rangesOf,
  rangeUpToNow,
  type Period,
} from './calendar-range.ts';

const iso = (at: number): string => new Date(at).toISOString().replace(':00.000Z', 'Z');

describe('the last days, weeks and months', () => {
  test.each([
    ['24h', 'hour', 'Asia/Kathmandu', '2026-11-29T04:15Z'],
    ['7d', 'hour', 'Asia/Kathmandu', '2026-11-23T18:15Z'],
    ['30d', 'day', 'Europe/Berlin', '2026-10-31T23:00Z'],
    // Monday, although the range begins within its week.
    ['12w', 'week', 'Europe/Berlin', '2026-09-13T22:00Z'],
    ['6mo', 'month', 'America/St_Johns', '2026-06-01T02:30Z'],
    ['12mo', 'month', 'UTC', '2025-12-01T00:00Z'],
  ] as const)('%s by %s in %s begin with a whole one', (text, period, timeZone, from) => {
    const range = rangeUpToNow(findRange(text, period), {
      now: Date.parse('2026-11-30T03:20:30Z'),
      timeZone,
      period,
    });

    expect([iso(range.from), iso(range.to)]).toEqual([from, '2026-11-30T03:30Z']);
  });

  test('have a standard for each period, which stands for what the period does not have', () => {
    const standards = (['hour', 'day', 'week', 'month'] as readonly Period[]).map(
      (period) => findRange('nonsense', period).value,
    );

    expect(standards).toEqual(['24h', '30d', '12w', '12mo']);
    expect(findRange('24h', 'month').value).toBe('12mo');
    expect(rangesOf('day').map(({ value }) => value)).toEqual(['7d', '14d', '30d', '90d', '12mo']);
  });

  test('keep their local time before a clock change', () => {
    const last = findRange('30d', 'day');
    const range = { from: Date.parse('2026-10-31T23:00Z'), to: Date.parse('2026-11-30T03:30Z') };

    const before = rangeBefore(range, last, 'Europe/Berlin');

    expect([iso(before.from), iso(before.to)]).toEqual(['2026-10-01T22:00Z', '2026-10-31T03:30Z']);
  });
});

describe('two local times', () => {
  test('are instants of the zone, and the range before has their length', () => {
    const range = rangeBetween('2026-11-02T00:00', '2026-11-09T00:00', 'Asia/Kathmandu');

    expect(range).toEqual({
      from: Date.parse('2026-11-01T18:15Z'),
      to: Date.parse('2026-11-08T18:15Z'),
    });
    expect(range === null ? null : iso(rangeBefore(range, null, 'Asia/Kathmandu').from)).toBe(
      '2026-10-25T18:15Z',
    );
    expect(localText(Date.parse('2026-11-01T18:15Z'), 'Asia/Kathmandu')).toBe('2026-11-02T00:00');
  });

  test.each([
    ['', '2026-11-09T00:00'],
    ['2026-11-02T00:00', 'tomorrow'],
  ])('that are not both written are no range: %j to %j', (from, to) => {
    expect(rangeBetween(from, to, 'UTC')).toBeNull();
  });
});

test('a month later is a month of the calendar', () => {
  expect(iso(later(Date.parse('2026-01-31T00:00Z'), [1, 'month'], 'UTC'))).toBe(
    '2026-02-28T00:00Z',
  );
});
