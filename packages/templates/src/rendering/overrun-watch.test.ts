import { expect, test } from '@jest/globals';
import { LOOK_MS, OverrunWatch } from './overrun-watch.ts';
import { PROGRESS } from './render-job.ts';

const LOOKS = 1_000 / LOOK_MS;

function watched() {
  const progress = new Int32Array(PROGRESS.length);
  const watch = new OverrunWatch(progress, 1_000);
  Atomics.add(progress, PROGRESS.turns, 1);
  /** Whether one of these looks finds that it takes too long. */
  const looks = (count: number, cpuMsOf: (look: number) => number): boolean =>
    Array.from({ length: count }, (_, look) => watch.isOverrun(cpuMsOf(look))).includes(true);
  return { progress, watch, looks };
}

const working = (look: number): number => look * LOOK_MS;

test('a second of work on one message is too long', () => {
  expect(watched().looks(LOOKS, working)).toBe(false);
  expect(watched().looks(LOOKS + 1, working)).toBe(true);
});

test('the next message has a second of its own', () => {
  const { progress, looks } = watched();

  expect(looks(LOOKS, working)).toBe(false);
  Atomics.add(progress, PROGRESS.turns, 1);

  expect(looks(LOOKS, working)).toBe(false);
});

test('a job that begins has a second, and a thread that starts more', () => {
  const { progress, watch, looks } = watched();

  expect(looks(LOOKS, working)).toBe(false);
  watch.begin();
  expect(looks(LOOKS, working)).toBe(false);
  watch.begin();
  Atomics.store(progress, PROGRESS.turns, 0);
  expect(looks(5 * LOOKS, working)).toBe(false);
});

test('a thread that gets no CPU, or of a process that was frozen, is not ended', () => {
  expect(watched().looks(10 * LOOKS, (look) => look)).toBe(false);
  // The clock of a frozen process goes on, its looks do not.
  expect(watched().looks(3, (look) => look * 60_000)).toBe(false);
});
