import { expect, test } from '@jest/globals';
import { createFold } from './fold.ts';
import { isInPart, stateOf } from './funnel-state.ts';
import { createMemory } from './memory.ts';

const fold = createFold({ steps: 3, windowMs: 10 }, createMemory(16));
// Too late at 20; in time to the millisecond; at the end.
const [TOO_LATE, IN_TIME, AT_END] = [0, 1, 2];
fold.apply(TOO_LATE, 9, [0b001]);
fold.apply(IN_TIME, 10, [0b001]);
for (const [index, time] of [10, 11, 12].entries()) fold.apply(AT_END, time, [1 << index]);
const times = { fold, steps: 3, windowMs: 10, now: 20 };

test('how a person stands', () => {
  expect([TOO_LATE, IN_TIME, AT_END].map((person) => stateOf(times, person))).toEqual([
    'dropped',
    'open',
    'converted',
  ]);
});

test.each([
  ['reached', 1, [TOO_LATE, IN_TIME, AT_END]],
  ['reached', 2, [AT_END]],
  ['dropped', 1, [TOO_LATE]],
  ['open', 1, [IN_TIME]],
  ['dropped', 2, []],
  ['converted', 3, [AT_END]],
] as const)('who is %s at step %i', (state, step, expected) => {
  expect(
    [TOO_LATE, IN_TIME, AT_END].filter((person) => isInPart(times, { state, step }, person)),
  ).toEqual(expected);
});
