import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from './property-runs.ts';

const DAYS = ['2026-11-28', '2026-11-29', '2026-11-30'];

function casesOf(environment: Readonly<Record<string, string>>): readonly number[] {
  const cases: number[] = [];
  fc.assert(
    fc.property(fc.integer(), (one) => void cases.push(one)),
    propertyRuns(40, environment),
  );
  return cases;
}

test('a run tries half of the cases by the date, and three days try all and no others', () => {
  const all = casesOf({ TEST_SEEDS: 'all' });
  const byDay = DAYS.map((day) => casesOf({ TEST_SEEDS: day }));

  expect(all).toHaveLength(40);
  expect(byDay.map(({ length }) => length)).toEqual([20, 20, 20]);
  expect(new Set(byDay.flat())).toEqual(new Set(all));
  expect(casesOf({ TEST_SEEDS: '2026-11-28' })).toEqual(byDay[0]);
});

test('a number of runs has a new seed each time, and a time at which a property ends', () => {
  expect(propertyRuns(40, { PROPERTY_RUNS: '1000', TEST_SEEDS: 'all' })).toEqual({
    numRuns: 1_000,
  });
  expect(propertyRuns(40, { PROPERTY_RUNS: '1000', PROPERTY_SECONDS: '60' })).toEqual({
    numRuns: 1_000,
    interruptAfterTimeLimit: 60_000,
  });
});
