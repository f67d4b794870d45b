import { expect, test } from '@jest/globals';
import { createLiveness } from './liveness.ts';

function atTime(): { liveness: ReturnType<typeof createLiveness>; pass(ms: number): void } {
  let now = 0;
  return {
    liveness: createLiveness({ silenceMs: 100, stallMs: 1_000 }, () => now),
    pass(ms) {
      now += ms;
    },
  };
}

test('a client that is silent for too long is not alive', () => {
  const { liveness, pass } = atTime();
  pass(100);
  expect(liveness.isAlive()).toBe(true);
  pass(1);
  expect(liveness.isAlive()).toBe(false);
  liveness.client();
  expect(liveness.isAlive()).toBe(true);
});

test('a handler that reports nothing for too long is not alive, one that waits for its next turn is', () => {
  const { liveness, pass } = atTime();
  liveness.handler('t/0', true);
  pass(1_001);
  liveness.client();
  expect(liveness.isAlive()).toBe(false);
  liveness.handler('t/0', false);
  expect(liveness.isAlive()).toBe(true);
});

test('a crash for good is not alive, whatever comes after', () => {
  const { liveness } = atTime();
  liveness.crash();
  liveness.client();
  expect(liveness.isAlive()).toBe(false);
});

test('a consumer that was stopped stays alive, so that the drain is not cut short', () => {
  const { liveness, pass } = atTime();
  liveness.stop();
  pass(10_000);
  liveness.crash();
  expect(liveness.isAlive()).toBe(true);
});
