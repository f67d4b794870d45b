import { expect, test } from '@jest/globals';
import { createFakeClock } from '@tidings/testing';
import { createSweepReadiness, READY_FOR_MS } from './sweep-readiness.ts';

function createReadiness() {
  const clock = createFakeClock();
  const { note, isReady } = createSweepReadiness(clock);
  return {
    clock,
    isReady,
    succeed: () => note(() => Promise.resolve(true)),
    fail: () => note(() => Promise.resolve(false)),
  };
}

test('the service is not ready before its first successful sweep', async () => {
  const { isReady, fail, succeed } = createReadiness();
  const before = isReady();
  await fail();
  const afterFailure = isReady();
  await succeed();

  expect([before, afterFailure, isReady()]).toEqual([false, false, true]);
});

test('one failed sweep changes nothing; a minute without a successful one makes it not ready, the next one ready again', async () => {
  const { clock, isReady, fail, succeed } = createReadiness();
  await succeed();
  await fail();
  const afterOne = isReady();
  clock.advance(READY_FOR_MS);
  await fail();
  const afterAMinute = isReady();
  clock.advance(1);
  const later = isReady();
  await succeed();

  expect([afterOne, afterAMinute, later, isReady()]).toEqual([true, true, false, true]);
});

test('a sweep that throws is no success, and its error is passed on', async () => {
  const { note, isReady } = createSweepReadiness(createFakeClock());

  await expect(note(() => Promise.reject(new Error('away')))).rejects.toThrow('away');

  expect(isReady()).toBe(false);
});
