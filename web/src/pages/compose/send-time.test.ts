import { describe, expect, test } from '@jest/globals';
import { toLocalText } from '../../lib/local-time.ts';
import { usualTimes } from './send-time.ts';

/** Times of the zone in which the tests run, as those of a browser. */
const at = (day: number): Date => new Date(2026, 10, day, 17, 45);

describe('usual times', () => {
  test('are in an hour, tomorrow and on Monday, at nine', () => {
    // A Thursday.
    expect(usualTimes('at', at(26))).toEqual([
      { label: 'In an hour', time: '2026-11-26T18:45' },
      { label: 'Tomorrow 9:00', time: '2026-11-27T09:00' },
      { label: 'Monday 9:00', time: '2026-11-30T09:00' },
    ]);
  });

  test('an hour from now is no local time of each recipient', () => {
    expect(usualTimes('local', at(26)).map(({ label }) => label)).toEqual([
      'Tomorrow 9:00',
      'Monday 9:00',
    ]);
  });

  test('on a Sunday, Monday is tomorrow; on a Monday it is the next one', () => {
    expect(usualTimes('local', at(29))).toEqual([
      { label: 'Tomorrow 9:00', time: '2026-11-30T09:00' },
    ]);
    expect(usualTimes('local', at(30)).at(-1)).toEqual({
      label: 'Monday 9:00',
      time: '2026-12-07T09:00',
    });
  });
});

test('an instant is written as a date field has it, and one that is none as nothing', () => {
  expect(toLocalText(at(26).getTime())).toBe('2026-11-26T17:45');
  expect(toLocalText(Number.NaN)).toBe('');
});
