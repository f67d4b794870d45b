import { describe, expect, test } from '@jest/globals';
import { createSendSlots } from './send-slots.ts';

const never = new AbortController().signal;
const patiently = { timeoutMs: 10_000, signal: never };

describe('send slots', () => {
  test('are taken as far as they are free', async () => {
    const slots = createSendSlots(5);

    expect(await slots.take('a', 3, patiently)).toBe(3);
    expect(await slots.take('a', 3, patiently)).toBe(2);
  });

  test('are waited for, in order of arrival, and no newcomer overtakes', async () => {
    const slots = createSendSlots(1);
    await slots.take('a', 1, patiently);
    const order: string[] = [];
    const first = slots.take('a', 1, patiently).then((taken) => order.push(`first ${taken}`));
    const second = slots.take('a', 1, patiently).then((taken) => order.push(`second ${taken}`));

    slots.release('a');
    const newcomer = slots.take('a', 1, patiently).then((taken) => order.push(`newcomer ${taken}`));
    slots.release('a');
    slots.release('a');
    await Promise.all([first, second, newcomer]);

    expect(order).toEqual(['first 1', 'second 1', 'newcomer 1']);
  });

  test('whoever has waited gets at least one, also when others ask at the moment of the release', async () => {
    const slots = createSendSlots(1);
    await slots.take('a', 1, patiently);
    const waiting = slots.take('a', 5, patiently);

    slots.release('a');
    const greedy = slots.take('a', 5, { timeoutMs: 0, signal: never });

    expect(await waiting).toBe(1);
    expect(await greedy).toBe(0);
  });

  test('that stay taken give 0 after the time to wait', async () => {
    const slots = createSendSlots(1);
    await slots.take('a', 1, patiently);

    expect(await slots.take('a', 1, { timeoutMs: 5, signal: never })).toBe(0);
    slots.release('a');
    expect(await slots.take('a', 1, patiently)).toBe(1);
  });

  test('give 0 when the work is aborted, before or while it waits, and keep none for it', async () => {
    const slots = createSendSlots(1);
    const stopping = new AbortController();
    await slots.take('a', 1, patiently);
    const waiting = slots.take('a', 1, { timeoutMs: 10_000, signal: stopping.signal });

    stopping.abort();

    expect(await waiting).toBe(0);
    slots.release('a');
    expect(await slots.take('a', 1, { timeoutMs: 10_000, signal: stopping.signal })).toBe(0);
    expect(await slots.take('a', 1, patiently)).toBe(1);
  });

  test('are never more than their number, whatever the order of takes and releases', async () => {
    const slots = createSendSlots(4);
    let inUse = 0;
    let peak = 0;
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const taken = await slots.take('a', (index % 6) + 1, patiently);
        inUse += taken;
        peak = Math.max(peak, inUse);
        await Promise.resolve();
        for (let left = taken; left > 0; left -= 1) {
          inUse -= 1;
          slots.release('a');
        }
      }),
    );

    expect(peak).toBe(4);
    expect(inUse).toBe(0);
    expect(await slots.take('a', 10, patiently)).toBe(4);
  });
});

describe('among applications', () => {
  const atOnce = { timeoutMs: 0, signal: never };

  test('one alone has nine tenths of them; who has none always finds one', async () => {
    const slots = createSendSlots(20);

    expect(await slots.take('slow', 100, patiently)).toBe(18);
    expect(await slots.take('slow', 1, atOnce)).toBe(0);
    expect(await slots.take('other', 5, atOnce)).toBe(1);
    expect(await slots.take('third', 5, atOnce)).toBe(1);
  });

  test('who is known to be slow leaves as many free as it has', async () => {
    const slots = createSendSlots(20);
    slots.learn('slow', 30_000);

    expect(await slots.take('slow', 100, patiently)).toBe(10);
    expect(await slots.take('slow', 1, atOnce)).toBe(0);
    expect(await slots.take('fast', 100, atOnce)).toBe(8);
  });

  test('who was slow, and is fast again, has its part again', async () => {
    const slots = createSendSlots(20);
    slots.learn('a', 5_000);
    for (let sends = 0; sends < 20; sends += 1) slots.learn('a', 10);

    expect(await slots.take('a', 100, patiently)).toBe(18);
  });

  test('a slot that comes back goes to who has fewest, whoever asked first', async () => {
    const slots = createSendSlots(20);
    await slots.take('many', 100, patiently);
    await slots.take('few', 1, patiently);
    const order: string[] = [];
    const many = slots.take('many', 1, patiently).then(() => order.push('many'));
    const few = slots.take('few', 1, patiently).then(() => order.push('few'));

    for (let sends = 0; sends < 4; sends += 1) {
      slots.release('many');
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all([few, many]);

    expect(order[0]).toBe('few');
  });

  test('whatever is taken and given back, none is lost and none is made', async () => {
    const slots = createSendSlots(20);
    const inUse = new Map<string, number>();
    let peak = 0;
    await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const application = `app${index % 7}`;
        if (index % 7 === 0) slots.learn(application, 60_000);
        const taken = await slots.take(application, (index % 9) + 1, patiently);
        expect(taken).toBeGreaterThan(0);
        inUse.set(application, (inUse.get(application) ?? 0) + taken);
        peak = Math.max(peak, [...inUse.values()].reduce((total, own) => total + own, 0));
        await Promise.resolve();
        for (let left = taken; left > 0; left -= 1) {
          inUse.set(application, (inUse.get(application) ?? 0) - 1);
          slots.release(application);
        }
      }),
    );

    expect(peak).toBeLessThanOrEqual(20);
    expect(await slots.take('afterwards', 100, patiently)).toBe(18);
  });
});
