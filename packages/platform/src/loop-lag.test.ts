import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { watchLoopLag } from './loop-lag.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function createSubject() {
  let now = 0;
  const lag = watchLoopLag({ now: () => now, monotonicMs: () => now });
  /** Turns of the loop, each of so many milliseconds. */
  const turn = (...lengths: number[]): void => {
    for (const ms of lengths) {
      now += ms;
      jest.advanceTimersByTime(20);
    }
  };
  return { lag, turn };
}

test('a loop that keeps up is not late', () => {
  const { lag, turn } = createSubject();

  turn(20, 20, 20, 15);

  expect([lag.lastMs(), lag.sustainedMs(), lag.totalMs()]).toEqual([0, 0, 0]);
});

test('one pause is told, and is no load', () => {
  const { lag, turn } = createSubject();

  turn(20, 20, 1_020);

  expect([lag.lastMs(), lag.sustainedMs(), lag.totalMs()]).toEqual([1_000, 0, 1_000]);
});

test('a load is what every turn is late by, until one is not', () => {
  const { lag, turn } = createSubject();

  turn(320, 520, 420);
  expect([lag.lastMs(), lag.sustainedMs(), lag.totalMs()]).toEqual([400, 300, 1_200]);

  turn(20);
  expect([lag.lastMs(), lag.sustainedMs(), lag.totalMs()]).toEqual([0, 0, 1_200]);
});
