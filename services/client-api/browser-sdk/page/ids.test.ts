import { expect, test } from '@jest/globals';
import { nextTime, randomId } from './ids.ts';
import { openStorage } from './storage.ts';

test('an id is a random UUID of version 4, and never the same', () => {
  const ids = Array.from({ length: 100 }, randomId);

  expect(
    ids.filter(
      (id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id),
    ),
  ).toEqual([]);
  expect(new Set(ids).size).toBe(100);
});

test('events of one millisecond have different times, in another tab too: one user and one time would be a duplicate', () => {
  const storage = openStorage('a:', undefined);

  const times = [1_000, 1_000, 1_000, 999, 1_500].map((now) => nextTime(storage, () => now));

  expect(times).toEqual([1_000, 1_001, 1_002, 1_003, 1_500]);
});

test('a clock that has been put right is believed again', () => {
  const storage = openStorage('a:', undefined);
  nextTime(storage, () => 5_000_000);

  expect(nextTime(storage, () => 1_000)).toBe(1_000);
});
