import { describe, expect, test } from '@jest/globals';
import { leastGapMs, nextCronMs, readCron } from './cron.ts';

const at = (text: string): number => Date.parse(`${text}Z`);
const next = (cron: string, after: string, timeZone = 'UTC'): string | null => {
  const read = readCron(cron);
  const ms = read && nextCronMs(read, { timeZone, afterMs: at(after) });
  return ms === null ? null : new Date(ms).toISOString().slice(0, 16);
};

describe('the next instant of a schedule', () => {
  test.each<readonly [string, string, string, string?]>([
    ['* * * * *', '2026-11-29T22:00', '2026-11-29T22:01'],
    ['* * * * *', '2026-11-29T21:59:59.999', '2026-11-29T22:00'],
    ['0 9 * * 1', '2026-11-29T22:00', '2026-11-30T09:00'],
    ['0 9 * * MON', '2026-11-30T09:00', '2026-12-07T09:00'],
    ['0 9 * * 0', '2026-11-29T22:00', '2026-12-06T09:00'],
    ['0 9 * * 7', '2026-11-29T22:00', '2026-12-06T09:00'],
    ['0 9 * * mon-fri', '2026-11-27T10:00', '2026-11-30T09:00'],
    ['*/20 8-9 * * *', '2026-11-29T09:40', '2026-11-30T08:00'],
    ['5/20 8,9 * * *', '2026-11-29T08:30', '2026-11-29T08:45'],
    ['15,0 12 1 * *', '2026-11-29T09:40', '2026-12-01T12:00'],
    ['0 0 31 * *', '2026-11-29T09:40', '2026-12-31T00:00'],
    ['0 0 1 jan-mar/2 *', '2026-11-29T09:40', '2027-01-01T00:00'],
    ['0 0 29 2 *', '2096-03-01T00:00', '2104-02-29T00:00'],
    // Where both days are limited, either counts.
    ['0 0 13 * 5', '2026-11-29T09:40', '2026-12-04T00:00'],
    ['0 0 13 * 5', '2026-12-11T00:00', '2026-12-13T00:00'],
    ['0 0 */2 * 5', '2026-11-29T09:40', '2026-12-11T00:00'],
    ['0 9 * * *', '2026-11-29T07:00', '2026-11-29T08:00', 'Europe/Berlin'],
    ['0 9 * * *', '2026-11-29T20:30', '2026-11-30T00:00', 'Asia/Tokyo'],
    // Skipped: the first minute that exists, once.
    ['*/15 2 * * *', '2026-03-29T00:59', '2026-03-29T01:00', 'Europe/Berlin'],
    ['*/15 2 * * *', '2026-03-29T01:00', '2026-03-30T00:00', 'Europe/Berlin'],
    // Twice: the first.
    ['30 2 * * *', '2026-10-25T00:00', '2026-10-25T00:30', 'Europe/Berlin'],
    ['30 2 * * *', '2026-10-25T00:30', '2026-10-26T01:30', 'Europe/Berlin'],
    ['*/30 * * * *', '2026-10-25T00:30', '2026-10-25T02:00', 'Europe/Berlin'],
  ])('%s after %s is %s', (...[cron, after, expected, timeZone]) => {
    expect(next(cron, after, timeZone)).toBe(expected);
  });
});

test.each<readonly [string, number]>([
  ['* * * * *', 1],
  ['*/15 * * * *', 15],
  ['0,14 9 * * 1', 14],
  ['5,55 9,10 * * *', 10],
  // Across midnight, where a day of it follows another one.
  ['*/50 0,23 * * 1-5', 10],
  ['*/50 0,23 * * 1', 50],
  ['0 9 * * *', 24 * 60],
  ['0 9 * * 1', Infinity],
  ['50 23 31 12 *', Infinity],
])(
  'the instants of %s are at least %s minutes apart within a day and the next',
  (text, minutes) => {
    const cron = readCron(text);
    expect(cron && leastGapMs(cron)).toBe(minutes * 60_000);
  },
);

test.each([
  '',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * 32 * *',
  '* * * 13 *',
  '* * * * 8',
  '5-1 * * * *',
  '*/0 * * * *',
  '1,,2 * * * *',
  'a * * * *',
  'mon * * * *',
  '-1 * * * *',
  '1.5 * * * *',
  '@daily',
  '0 0 30 2 *',
  '0 0 31 4,6 *',
  `${'1,'.repeat(200)}1 * * * *`,
])('%s is none', (text) => {
  expect(readCron(text)).toBeNull();
});
