import { describe, expect, jest, test } from '@jest/globals';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { createFakeClock } from '@tidings/testing';
import { createSendSlots } from './send-slots.ts';

const never = new AbortController().signal;
const a = { lane: 'express', applicationId: 'a' } as const;
const patiently = { ...a, timeoutMs: 10_000, signal: never };

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

    slots.release(a);
    const newcomer = slots.take(1, patiently).then((taken) => order.push(`newcomer ${taken}`));
    slots.release(a);
    slots.release(a);
    await Promise.all([first, second, newcomer]);

    expect(order).toEqual(['first 1', 'second 1', 'newcomer 1']);
  });

  test('a waiting chunk gets at least one slot, even if others ask at the moment of the release', async () => {
    const slots = createSendSlots(1);
    await slots.take(1, patiently);
    const waiting = slots.take(5, patiently);

    slots.release(a);
    const greedy = slots.take(5, { ...a, timeoutMs: 0, signal: never });

    expect(await waiting).toBe(1);
    expect(await greedy).toBe(0);
  });

  test('that come back together go out together', async () => {
    const slots = createSendSlots(5);
    await slots.take(5, patiently);
    const waiting = slots.take(9, patiently);

    for (let release = 0; release < 3; release += 1) slots.release(a);

    expect(await waiting).toBe(3);
  });

  test('that stay taken give 0 after the time to wait', async () => {
    const slots = createSendSlots(1);
    await slots.take(1, patiently);

    expect(await slots.take(1, { ...a, timeoutMs: 5, signal: never })).toBe(0);
    slots.release(a);
    expect(await slots.take(1, patiently)).toBe(1);
  });

  test('give 0 when the work is aborted, before or while it waits, and keep none for it', async () => {
    const slots = createSendSlots(1);
    const stopping = new AbortController();
    await slots.take(1, patiently);
    const waiting = slots.take(1, { ...a, timeoutMs: 10_000, signal: stopping.signal });

    stopping.abort();

    expect(await waiting).toBe(0);
    slots.release(a);
    expect(await slots.take(1, { ...a, timeoutMs: 10_000, signal: stopping.signal })).toBe(0);
    expect(await slots.take(1, patiently)).toBe(1);
  });

  test('never exceed their number, in any order of takes and releases', async () => {
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
          slots.release(a);
        }
      }),
    );

    expect(peak).toBe(4);
    expect(inUse).toBe(0);
    expect(await slots.take(10, patiently)).toBe(4);
  });
});

describe('bulk is refilled in groups', () => {
  const bulk = { lane: 'bulk', applicationId: 'a' } as const;
  const asBulk = { ...patiently, ...bulk };
  /** All three slots of bulk are in use, and one more request waits. */
  async function refill() {
    const clock = createFakeClock();
    const slots = createSendSlots(4, clock);
    expect(await slots.take(9, asBulk)).toBe(3);
    let taken = 0;
    const waiting = slots.take(9, asBulk).then((count) => {
      taken = count;
    });
    return { clock, slots, waiting, taken: () => taken };
  }

  test('at once when half of its slots are free', async () => {
    const { slots, waiting, taken } = await refill();
    slots.release(bulk);
    await turnOfTheLoop();
    expect(taken()).toBe(0);
    slots.release(bulk);
    await waiting;

    expect(taken()).toBe(2);
  });

  test('after 10 ms with what is free', async () => {
    const { clock, slots, waiting, taken } = await refill();
    slots.release(bulk);
    clock.advance(9);
    await turnOfTheLoop();
    expect(taken()).toBe(0);
    clock.advance(1);
    await waiting;

    expect(taken()).toBe(1);
  });

  test('one that asks meanwhile waits with the others, also for slots that are free', async () => {
    const { clock, slots, waiting } = await refill();
    slots.release(bulk);
    const later = slots.take(1, { ...asBulk, applicationId: 'b' });
    clock.advance(10);
    expect(await later).toBe(1);
    slots.release(bulk);
    slots.release(bulk);

    await waiting;
  });

  test('express does not wait for the group, and with express nor does bulk', async () => {
    const { slots, waiting, taken } = await refill();
    slots.release(bulk);
    expect(await slots.take(1, { ...patiently, applicationId: 'b' })).toBe(1);
    expect(await slots.take(1, { ...patiently, applicationId: 'b' })).toBe(1);
    const express = slots.take(1, { ...patiently, applicationId: 'b' });
    slots.release(bulk);

    expect(await express).toBe(1);
    slots.release(bulk);
    await waiting;
    expect(taken()).toBe(1);
  });
});

describe('among applications', () => {
  const atOnce = { ...a, timeoutMs: 0, signal: never };

  test('one alone that is quick has nine tenths of them; who has none always finds one', async () => {
    const slots = createSendSlots(20);
    slots.recordSendMs('quick', 30);

    expect(await slots.take(100, { ...patiently, applicationId: 'quick' })).toBe(10);
    for (let sends = 0; sends < 5; sends += 1) slots.release({ ...a, applicationId: 'quick' });
    expect(await slots.take(100, { ...patiently, applicationId: 'quick' })).toBe(13);
    expect(await slots.take(1, { ...atOnce, applicationId: 'quick' })).toBe(0);
    expect(await slots.take(5, { ...atOnce, applicationId: 'other' })).toBe(1);
    expect(await slots.take(5, { ...atOnce, applicationId: 'third' })).toBe(1);
  });

  test.each([
    ['is known to be slow', 30_000],
    ['has not answered yet', null],
  ])('who %s leaves as many free as it has', async (_what, sendMs) => {
    const slots = createSendSlots(20);
    if (sendMs !== null) slots.recordSendMs('slow', sendMs);

    expect(await slots.take(100, { ...patiently, applicationId: 'slow' })).toBe(10);
    expect(await slots.take(1, { ...atOnce, applicationId: 'slow' })).toBe(0);
    expect(await slots.take(100, { ...atOnce, applicationId: 'fast' })).toBe(5);
  });

  test('who was slow, and is fast again, has its part again', async () => {
    const slots = createSendSlots(20);
    slots.recordSendMs('a', 5_000);
    for (let sends = 0; sends < 20; sends += 1) slots.recordSendMs('a', 10);

    expect(await slots.take(100, patiently)).toBe(10);
    for (let sends = 0; sends < 10; sends += 1) slots.release(a);
    expect(await slots.take(100, patiently)).toBe(18);
  });

  test('a released slot goes to the application with the fewest, not to the first that asked', async () => {
    const slots = createSendSlots(20);
    await slots.take(100, { ...patiently, applicationId: 'many' });
    await slots.take(1, { ...patiently, applicationId: 'few' });
    const order: string[] = [];
    const many = slots
      .take(1, { ...patiently, applicationId: 'many' })
      .then(() => order.push('many'));
    const few = slots.take(1, { ...patiently, applicationId: 'few' }).then(() => order.push('few'));

    for (let sends = 0; sends < 4; sends += 1) {
      slots.release({ ...a, applicationId: 'many' });
      await turnOfTheLoop();
    }
    await Promise.all([few, many]);

    expect(order[0]).toBe('few');
  });

  test('takes and releases neither lose nor create slots', async () => {
    const slots = createSendSlots(20);
    const inUse = new Map<string, number>();
    let peak = 0;
    await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const applicationId = `app${index % 7}`;
        slots.recordSendMs(applicationId, index % 7 === 0 ? 60_000 : 30);
        const taken = await slots.take((index % 9) + 1, {
          ...patiently,
          applicationId,
          isPatient: true,
        });
        expect(taken).toBeGreaterThan(0);
        inUse.set(applicationId, (inUse.get(applicationId) ?? 0) + taken);
        peak = Math.max(
          peak,
          [...inUse.values()].reduce((total, own) => total + own, 0),
        );
        await Promise.resolve();
        for (let left = taken; left > 0; left -= 1) {
          inUse.set(applicationId, (inUse.get(applicationId) ?? 0) - 1);
          slots.release({ ...a, applicationId });
        }
      }),
    );

    expect(peak).toBeLessThanOrEqual(20);
    expect(await slots.take(100, { ...patiently, applicationId: 'afterwards' })).toBe(10);
  });

  test.each(['express', 'bulk'] as const)(
    'waiting applications are served in turn, in %s',
    async (lane) => {
      const slots = createSendSlots(1);
      await slots.take(1, { ...patiently, lane });
      const order: string[] = [];
      const waiting = ['much', 'much', 'much', 'much', 'little', 'little'].map(
        async (applicationId) => {
          await slots.take(1, { ...patiently, lane, applicationId });
          order.push(applicationId);
          slots.release({ lane, applicationId });
        },
      );

      await turnOfTheLoop();
      slots.release({ lane, applicationId: 'a' });
      await Promise.all(waiting);

      expect(order).toEqual(['much', 'little', 'much', 'little', 'much', 'much']);
    },
  );

  test('who gave up is passed over', async () => {
    const slots = createSendSlots(1);
    await slots.take(1, patiently);
    const stopping = new AbortController();
    const given = slots.take(1, { ...patiently, signal: stopping.signal });
    const patient = slots.take(1, patiently);

    stopping.abort();
    slots.release(a);

    expect(await given).toBe(0);
    expect(await patient).toBe(1);
  });
});

describe('of an application whose sends take long', () => {
  const slow = { ...patiently, timeoutMs: 20_000, applicationId: 'slow' };

  /** Ten of twenty slots are in use by one application, whose sends take 14 s. */
  async function occupied() {
    const clock = createFakeClock();
    const slots = createSendSlots(20, clock);
    slots.recordSendMs('slow', 14_000);
    expect(await slots.take(100, slow)).toBe(10);
    return { clock, slots };
  }

  test('one chunk waits for the next slot, the others are put off at once, one after another', async () => {
    const { clock, slots } = await occupied();
    expect(slots.putOffMs(slow)).toBe(0);
    const first = slots.take(1, slow);

    expect([slots.putOffMs(slow), slots.putOffMs(slow)]).toEqual([1_400, 1_450]);
    expect(await slots.take(1, slow)).toBe(0);

    clock.advance(1_000);
    expect(await first).toBe(0);
  });

  test.each([
    ['14 s: at once', 14_000, 1],
    ['a time that no answer has shown yet: at once', null, 1],
    ['0.8 s: at once', 800, 1],
    ['30 ms: once it has lasted', 30, 0],
  ])(
    'onWait reports a long wait for a slot where sends take %s',
    async (_what, sendMs, announcedAtOnce) => {
      const clock = createFakeClock();
      const slots = createSendSlots(20, clock);
      if (sendMs !== null) slots.recordSendMs('slow', sendMs);
      const onWait = jest.fn();
      const stopping = new AbortController();
      await slots.take(100, { ...slow, onWait });
      expect(onWait).not.toHaveBeenCalled();

      const waiting = slots.take(1, { ...slow, onWait, signal: stopping.signal });

      expect(onWait).toHaveBeenCalledTimes(announcedAtOnce);
      clock.advance(100);
      expect(onWait).toHaveBeenCalledTimes(1);
      stopping.abort();
      expect(await waiting).toBe(0);
    },
  );

  test('a slot that returns goes to the chunk that waits for it', async () => {
    const { slots } = await occupied();
    const first = slots.take(1, slow);

    slots.release(slow);

    expect(await first).toBe(1);
  });

  test('a test send waits for as long as it may', async () => {
    const { clock, slots } = await occupied();
    let taken: number | undefined;
    void slots.take(1, slow);
    void slots.take(1, { ...slow, isPatient: true }).then((count) => (taken = count));

    clock.advance(19_999);
    await turnOfTheLoop();
    expect(taken).toBeUndefined();
    clock.advance(1);
    await turnOfTheLoop();
    expect(taken).toBe(0);
  });

  test('others are put off for nothing of this', async () => {
    const { slots } = await occupied();

    expect(slots.putOffMs({ ...slow, applicationId: 'quick' })).toBe(0);
    expect(await slots.take(3, { ...slow, applicationId: 'quick' })).toBe(3);
  });

  test('slowness shows before the first answer: a second without one is enough', async () => {
    const clock = createFakeClock();
    const slots = createSendSlots(20, clock);
    for (let sends = 0; sends < 10; sends += 1) expect(await slots.take(1, slow)).toBe(1);

    clock.advance(1_001);

    const waiting = Array.from({ length: 30 }, () => slots.take(1, slow));
    // No more than get a slot within a second wait here, as far as is known.
    clock.advance(1_000);
    expect((await Promise.all(waiting)).filter((count) => count > 0)).toEqual([]);
    expect(await slots.take(5, { ...slow, applicationId: 'quick' })).toBe(5);
  });

  test('an application whose slots return quickly waits as long as it may, however many of its chunks wait', async () => {
    const clock = createFakeClock();
    const slots = createSendSlots(20, clock);
    for (let sends = 0; sends < 20; sends += 1) slots.recordSendMs('quick', 30);
    const quick = { ...slow, applicationId: 'quick' };
    expect(await slots.take(100, quick)).toBe(10);
    let served = 0;
    const waiting = Array.from({ length: 300 }, () =>
      slots.take(1, quick).then((count) => (served += count)),
    );
    expect(slots.putOffMs(quick)).toBe(0);

    for (let released = 0; released < 300; released += 1) {
      clock.advance(30);
      slots.release(quick);
      await turnOfTheLoop();
    }

    await Promise.all(waiting);
    expect(served).toBe(300);
  });
});

describe('between the lanes', () => {
  const bulk = { ...a, lane: 'bulk' } as const;
  const inBulk = { ...patiently, ...bulk };

  test('bulk leaves the express lane its share, and express may take all', async () => {
    const slots = createSendSlots(5);

    expect(await slots.take(50, inBulk)).toBe(4);
    expect(await slots.take(50, { ...inBulk, timeoutMs: 0 })).toBe(0);
    expect(await slots.take(50, patiently)).toBe(1);
    expect(await createSendSlots(5).take(50, patiently)).toBe(5);
  });

  test('nor does a newcomer in bulk get the share of the express lane', async () => {
    const slots = createSendSlots(20);
    await slots.take(50, inBulk);
    await slots.take(50, { ...inBulk, applicationId: 'e' });
    await slots.take(50, { ...inBulk, applicationId: 'b' });
    await slots.take(50, { ...inBulk, applicationId: 'c' });

    expect(await slots.take(1, { ...inBulk, applicationId: 'd', timeoutMs: 0 })).toBe(0);
    expect(await slots.take(2, { ...patiently, applicationId: 'd' })).toBe(2);
  });

  test('who waits in the express lane gets a slot before all who wait in bulk', async () => {
    const slots = createSendSlots(5);
    await slots.take(4, inBulk);
    await slots.take(1, patiently);
    const order: string[] = [];
    const waiting = [
      slots.take(1, inBulk).then(() => order.push('bulk')),
      slots.take(1, inBulk).then(() => order.push('bulk')),
      slots.take(1, patiently).then(() => order.push('express')),
    ];

    await turnOfTheLoop();
    for (let release = 0; release < 3; release += 1) {
      slots.release(bulk);
      await turnOfTheLoop();
    }
    await Promise.all(waiting);

    expect(order).toEqual(['express', 'bulk', 'bulk']);
  });

  test('however much the express lane has to do, bulk gets its share', async () => {
    const slots = createSendSlots(5);
    await slots.take(5, patiently);
    const order: string[] = [];
    const waiting = [
      ...Array.from({ length: 5 }, () =>
        slots.take(1, patiently).then(() => order.push('express')),
      ),
      ...Array.from({ length: 4 }, () => slots.take(1, inBulk).then(() => order.push('bulk'))),
    ];

    await turnOfTheLoop();
    for (let release = 0; release < 9; release += 1) {
      slots.release(a);
      await turnOfTheLoop();
    }
    await Promise.all(waiting);

    expect(order).toEqual([
      'bulk',
      'express',
      'express',
      'express',
      'express',
      'express',
      'bulk',
      'bulk',
      'bulk',
    ]);
  });

  test('a process with one slot sends in both', async () => {
    const slots = createSendSlots(1);

    expect(await slots.take(1, inBulk)).toBe(1);
    const waiting = slots.take(1, patiently);
    slots.release(bulk);
    expect(await waiting).toBe(1);
  });
});
