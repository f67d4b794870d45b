import { expect, test } from '@jest/globals';
import { casesOfRun, seedsOfRun } from './seeds-of-run.ts';

const ALL = Array.from({ length: 24 }, (_, index) => index + 1);
const FIXED = [1, 5, 9, 13, 17, 21];

test('a run tries a fixed quarter of the seeds and another quarter by the date', () => {
  const seeds = seedsOfRun(ALL, '2026-11-28');

  expect(seeds).toHaveLength(12);
  expect(seeds).toEqual(expect.arrayContaining(FIXED));
  expect(seedsOfRun(ALL, '2026-11-28')).toEqual(seeds);
  expect(seedsOfRun(ALL, '2026-11-29')).not.toEqual(seeds);
});

test('three days in a row try all seeds, also over the end of a year', () => {
  const days = ['2026-12-30', '2026-12-31', '2027-01-01'];

  expect(new Set(days.flatMap((day) => seedsOfRun(ALL, day)))).toEqual(new Set(ALL));
});

test.each([[[7]], [['a', 'b']], [[1, 2, 3, 4, 5]]])(
  'of few seeds the first one is always tried: %j',
  (few) => {
    for (const day of ['2026-11-28', '2026-11-29', '2026-11-30'])
      expect(seedsOfRun<unknown>(few, day)[0]).toBe(few[0]);
  },
);

test('"all" tries all seeds', () => {
  expect(seedsOfRun(ALL, 'all')).toEqual(ALL);
});

test('a usual run tries fewer cases of a seed than one that tries all', () => {
  const cases = { usual: 10, all: 40 };

  expect(casesOfRun(cases, '2026-11-28')).toBe(10);
  expect(casesOfRun(cases, 'all')).toBe(40);
});

test.each(['today', '', '3', '2026-11-28T12:00:00Z'])('anything else is an error: %j', (wanted) => {
  expect(() => seedsOfRun(ALL, wanted)).toThrow('TEST_SEEDS must be');
});
