import { describe, expect, test } from '@jest/globals';
import { createSendSlots } from './send-slots.ts';

const never = new AbortController().signal;
const patiently = { timeoutMs: 10_000, signal: never };

describe('send slots', () => {
  test('are taken as far as they are free', async () => {
    const slots = createSendSlots(5);

    expect(await slots.take(3, patiently)).toBe(3);
    expect(await slots.take(3, patiently)).toBe(2);
  });

  test('are waited for, in order of arrival, and no newcomer overtakes', async () => {
    const slots = createSendSlots(1);
    await slots.take(1, patiently);
    const order: string[] = [];
    const first = slots.take(1, patiently).then((taken) => order.push(`first ${taken}`));
    const second = slots.take(1, patiently).then((taken) => order.push(`second ${taken}`));

    slots.release();
    const newcomer = slots.take(1, patiently).then((taken) => order.push(`newcomer ${taken}`));
    slots.release();
    slots.release();
    await Promise.all([first, second, newcomer]);

    expect(order).toEqual(['first 1', 'second 1', 'newcomer 1']);
  });

  test('whoever has waited gets at least one, also when others ask at the moment of the release', async () => {
    const slots = createSendSlots(1);
    await slots.take(1, patiently);
    const waiting = slots.take(5, patiently);

    slots.release();
    const greedy = slots.take(5, { timeoutMs: 0, signal: never });

    expect(await waiting).toBe(1);
    expect(await greedy).toBe(0);
  });

  test('that stay taken give 0 after the time to wait', async () => {
    const slots = createSendSlots(1);
    await slots.take(1, patiently);

    expect(await slots.take(1, { timeoutMs: 5, signal: never })).toBe(0);
    slots.release();
    expect(await slots.take(1, patiently)).toBe(1);
  });

  test('give 0 when the work is aborted, before or while it waits, and keep none for it', async () => {
    const slots = createSendSlots(1);
    const stopping = new AbortController();
    await slots.take(1, patiently);
    const waiting = slots.take(1, { timeoutMs: 10_000, signal: stopping.signal });

    stopping.abort();

    expect(await waiting).toBe(0);
    slots.release();
    expect(await slots.take(1, { timeoutMs: 10_000, signal: stopping.signal })).toBe(0);
    expect(await slots.take(1, patiently)).toBe(1);
  });

  test('are never more than their number, whatever the order of takes and releases', async () => {
    const slots = createSendSlots(4);
    let inUse = 0;
    let peak = 0;
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const taken = await slots.take((index % 6) + 1, patiently);
        inUse += taken;
        peak = Math.max(peak, inUse);
        await Promise.resolve();
        for (let left = taken; left > 0; left -= 1) {
          inUse -= 1;
          slots.release();
        }
      }),
    );

    expect(peak).toBe(4);
    expect(inUse).toBe(0);
    expect(await slots.take(10, patiently)).toBe(4);
  });
});
