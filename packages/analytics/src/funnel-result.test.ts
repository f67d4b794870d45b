import { expect, test } from '@jest/globals';
import { createFold, type Fold } from '@tidings/folds/fold';
import type { FunnelTimes } from '@tidings/folds/funnel-state';
import { createMemory } from '@tidings/folds/memory';
import { createStepCounts, stepsOf } from './funnel-result.ts';

/** In two parts, of which one has every third person. */
function countSteps(fold: Fold, persons: readonly number[], times: FunnelTimes) {
  const parts = [createStepCounts(fold, times), createStepCounts(fold, times)] as const;
  for (const person of persons) parts[person % 3 === 0 ? 1 : 0].add(person);
  return stepsOf(parts);
}

const fold = createFold({ steps: 2, windowMs: 10 }, createMemory(16));
for (const [person, time] of [1, 2, 3].entries()) fold.apply(person, time, [0b01]);
fold.apply(3, 1, [0b01]);
fold.apply(3, 5, [0b10]);

test.each([
  [11, { dropped: 0, open: 3 }],
  [12, { dropped: 1, open: 2 }],
  [13, { dropped: 2, open: 1 }],
  [14, { dropped: 3, open: 0 }],
])('at %i, who may still convert is open to the millisecond', (now, expected) => {
  expect(countSteps(fold, [0, 1, 2, 3], { steps: 2, windowMs: 10, now })[0]).toMatchObject({
    users: 4,
    ...expected,
  });
});

test('times are values that occurred, and shares have four digits', () => {
  const times = createFold({ steps: 2, windowMs: 100 }, createMemory(16));
  for (let person = 0; person < 20; person += 1) {
    times.apply(person, 0, [0b01]);
    if (person < 7) times.apply(person, 1 + person, [0b10]);
  }
  const count = (persons: readonly number[]) =>
    countSteps(times, persons, { steps: 2, windowMs: 100, now: 0 })[1];

  expect(count([...Array.from({ length: 20 }).keys()])).toEqual({
    users: 7,
    fromStart: 0.35,
    fromPrevious: 0.35,
    medianMs: 4,
    p90Ms: 7,
  });
  expect(count([0, 1, 2, 3, 19, 18])).toMatchObject({ fromStart: 0.6667, medianMs: 2, p90Ms: 4 });
  expect(count([19])).toMatchObject({ users: 0, fromStart: 0, medianMs: null, p90Ms: null });
  expect(count([])).toMatchObject({ users: 0, fromStart: null, fromPrevious: null });
});
