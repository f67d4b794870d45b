import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@tidings/testing';
import { createSlotQueue } from './slot-queue.ts';

describe('the queue of chunks that get no slot', () => {
  test.each([
    ['a slot each 1.4 s', 1_400, [1_400, 1_450, 1_500]],
    ['a slot each 20 ms', 20, [1_000, 1_005, 1_010]],
    ['a slot each 14 s', 14_000, [5_000, 5_050, 5_100]],
    ['no send known', 0, [1_000, 1_005, 1_010]],
  ])(
    '%s: the first waits for about one slot, within 1 and 5 s, the next come after it',
    (_name, slotEveryMs, expected) => {
      const queue = createSlotQueue(createFakeClock());

      expect([0, 1, 2].map(() => queue.nextDelayMs('a', slotEveryMs))).toEqual(expected);
    },
  );

  test('places move up as time passes, and each application has a queue of its own', () => {
    const clock = createFakeClock();
    const queue = createSlotQueue(clock);
    for (let chunk = 0; chunk < 101; chunk += 1) queue.nextDelayMs('a', 1_400);

    clock.advance(2_000);

    expect(queue.nextDelayMs('a', 1_400)).toBe(1_400 + 100 * 50 + 50 - 2_000);
    expect(queue.nextDelayMs('b', 1_400)).toBe(1_400);
  });

  test('no delay is longer than five and a half minutes, however long the queue is', () => {
    const queue = createSlotQueue(createFakeClock(), () => 1);
    const delays = Array.from({ length: 10_000 }, () => queue.nextDelayMs('a', 14_000));

    expect(Math.max(...delays)).toBeCloseTo(330_000);
    expect(delays.filter((ms) => ms <= 300_000)).toHaveLength(5_901);
  });
});
