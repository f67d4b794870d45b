import { describe, expect, test } from '@jest/globals';
import {
  formatAgo,
  formatBytes,
  formatClock,
  formatDayClock,
  formatMinute,
  formatDuration,
  formatExactTime,
  formatLocalTime,
  formatRate,
  formatShare,
  formatShortTime,
  formatTime,
  humanize,
  isOneDay,
} from './format.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1 s'],
  [1_999, '1.9 s'],
  [59_999, '59.9 s'],
  [MINUTE, '1 min'],
  [4 * MINUTE + 10 * SECOND, '4 min 10 s'],
  [25 * HOUR, '1 d 1 h'],
  [-1_500, '−1.5 s'],
])('a duration of %d ms is "%s"', (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});

describe('a share', () => {
  test('above zero is never 0 %, and below one never 100 %', () => {
    expect(formatShare(1, 1_000_000)).toBe('<0.1 %');
    expect(formatShare(999_999, 1_000_000)).toBe('>99.9 %');
    expect(formatShare(0, 1_000_000)).toBe('0 %');
    expect(formatShare(5, 5)).toBe('100 %');
    expect(formatShare(1, 3)).toBe('33.3 %');
  });

  test('of an empty total has no number', () => {
    expect(formatShare(0, 0)).toBe('–');
  });
});

describe('an instant', () => {
  const now = Date.parse('2026-11-22T12:00:00.000Z');

  const BRITISH = { locale: 'en-GB', timeZone: 'UTC' };

  test('has a date, also today; another year is named', () => {
    expect(formatTime(now - HOUR, now, BRITISH)).toBe('22 Nov, 11:00:00');
    expect(formatTime(now - 24 * HOUR, now, BRITISH)).toBe('21 Nov, 12:00:00');
    expect(formatTime(Date.parse('2020-01-02T03:04:05Z'), now, BRITISH)).toBe(
      '2 Jan 2020, 03:04:05',
    );
  });

  test.each([
    ['en-US', 'Nov 22, 9:00:00 AM'],
    ['de-DE', '22. Nov., 09:00:00'],
  ])('follows the locale %s of the viewer', (locale, text) => {
    expect(
      formatTime(now - 3 * HOUR, now, { locale, timeZone: 'UTC' }).replaceAll(/\s/g, ' '),
    ).toBe(text);
  });

  test('is in the time zone of the viewer: the same instant can be another day', () => {
    expect(
      formatTime(Date.parse('2026-11-22T23:30:00Z'), Date.parse('2026-11-22T12:00:00Z'), {
        locale: 'en-GB',
        timeZone: 'Asia/Tokyo',
      }),
    ).toBe('23 Nov, 08:30:00');
  });

  test('to the minute has its date unless it is today, or always', () => {
    expect(formatClock(now - HOUR, now, BRITISH)).toBe('11:00');
    expect(formatClock(now - 24 * HOUR, now, BRITISH)).toBe('21 Nov, 12:00');
    expect(formatDayClock(now - HOUR, now, BRITISH)).toBe('22 Nov, 11:00');
    expect(formatMinute(now - HOUR, now, BRITISH)).toBe('22 Nov, 11:00');
    expect(formatMinute(Date.parse('2025-11-22T09:05:00Z'), now, BRITISH)).toBe(
      '22 Nov 2025, 09:05',
    );
  });

  test('is on one day with another in the zone of the viewer', () => {
    const late = Date.parse('2026-11-22T23:30:00Z');

    expect(isOneDay(now, late, BRITISH)).toBe(true);
    expect(isOneDay(now, late, { timeZone: 'Asia/Tokyo' })).toBe(false);
  });

  test('that no Date can hold is shown as its number', () => {
    expect(formatTime(9_223_372_036_854_775_807n, now)).toBe('9223372036854775807 ms');
    expect(formatExactTime(9_223_372_036_854_775_807n)).toContain('9223372036854775807');
  });

  test('has milliseconds in its tooltip', () => {
    expect(formatExactTime(now + 7, BRITISH)).toContain('2026-11-22T12:00:00.007Z');
    expect(formatExactTime(now + 7, BRITISH)).toContain(String(now + 7));
  });

  test('is shown relative to now', () => {
    expect(formatAgo(now - 3_000, now)).toBe('just now');
    expect(formatAgo(now - 42_000, now)).toBe('42 s ago');
    expect(formatAgo(now - 3 * HOUR, now)).toBe('3 h ago');
    expect(formatAgo(now + 5 * MINUTE, now)).toBe('in 5 min');
  });
});

test.each([
  ['2026-12-24T09:00', '24 Dec, 09:00'],
  ['2027-01-02T21:30', '2 Jan 2027, 21:30'],
  ['no time', 'no time'],
])('the local time %s is shown as it is, in no time zone', (text, shown) => {
  expect(formatLocalTime(text, Date.parse('2026-11-22T12:00:00Z'), 'en-GB')).toBe(shown);
});

test('a rate has a unit, and is null without a duration', () => {
  expect(formatRate(3_000, 1_000, 'messages')).toBe('3,000 messages/s');
  expect(formatRate(3, 60_000, 'messages')).toBe('3 messages/min');
  expect(formatRate(3, 0, 'messages')).toBeNull();
});

test('bytes are shown in the largest unit that fits', () => {
  expect(formatBytes(214)).toBe('214 B');
  expect(formatBytes(1_536)).toBe('1.5 KiB');
  expect(formatBytes(3 * 1_048_576)).toBe('3 MiB');
});

test('a code has a readable label', () => {
  expect(humanize('channel_not_configured')).toBe('Channel not configured');
  expect(humanize('retry-failed')).toBe('Retry failed');
  expect(humanize('businessEvent')).toBe('Business event');
  expect(['api', 'tls', 'starttls', 'sms_stop', 'none'].map(humanize)).toEqual([
    'API',
    'TLS',
    'STARTTLS',
    'SMS stop',
    'None',
  ]);
});

describe('an instant in a list', () => {
  const now = Date.UTC(2026, 9, 5, 14, 30);
  const place = { locale: 'en-GB', timeZone: 'Europe/Berlin' };
  test.each([
    [0, 'Now'],
    [59 * SECOND, 'Now'],
    [MINUTE, '1 min'],
    [59 * MINUTE + 59 * SECOND, '59 min'],
    [3 * HOUR, '3 h'],
    // 01:30 in Berlin: still of this day.
    [15 * HOUR, '15 h'],
    [17 * HOUR, 'Yesterday'],
    [48 * HOUR, '3 Oct'],
    [365 * 24 * HOUR, '5 Oct 2025'],
    [-5 * MINUTE, '5 Oct'],
  ])('of %d ms ago is "%s"', (passedMs, text) => {
    expect(formatShortTime(now - passedMs, now, place)).toBe(text);
  });
});
