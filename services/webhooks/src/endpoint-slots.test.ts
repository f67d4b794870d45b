import { describe, expect, test } from '@jest/globals';
import { EndpointSlots } from './endpoint-slots.ts';

const GOOD = { isSuccess: true, isPrompt: true };
const FAILED = { isSuccess: false, isPrompt: true };
const SLOW = { isSuccess: true, isPrompt: false };

/** How many webhooks of an endpoint may be claimed now. */
function claimable(slots: EndpointSlots, endpointId: string): number {
  for (const limits of slots.claimLimits()) {
    const isMeant =
      limits.only === undefined
        ? limits.except?.includes(endpointId) !== true
        : limits.only.includes(endpointId);
    if (isMeant)
      return Math.min(limits.rowsByEndpoint.get(endpointId) ?? limits.rowsPerOther, limits.rowsMax);
  }
  return 0;
}

function takeAll(slots: EndpointSlots, endpointId: string): number {
  let taken = 0;
  for (let free = claimable(slots, endpointId); free > 0; free = claimable(slots, endpointId)) {
    for (; free > 0; free -= 1, taken += 1) slots.acquire(endpointId);
  }
  return taken;
}

function succeed(slots: EndpointSlots, endpointId: string, times: number): void {
  for (let n = 0; n < times; n += 1) {
    slots.acquire(endpointId);
    slots.release(endpointId, GOOD);
  }
}

describe('an endpoint', () => {
  test('starts with two slots, gets one more with every success up to its limit, and falls back to one', () => {
    const slots = new EndpointSlots({ concurrency: 100, endpointConcurrency: 5 });

    expect(claimable(slots, 'a')).toBe(2);
    succeed(slots, 'a', 1);
    expect(claimable(slots, 'a')).toBe(3);
    succeed(slots, 'a', 50);
    expect(takeAll(slots, 'a')).toBe(5);
    slots.release('a', FAILED);
    for (let n = 0; n < 4; n += 1) slots.release('a', FAILED);
    expect(takeAll(slots, 'a')).toBe(1);
    slots.release('a', GOOD);
    expect(takeAll(slots, 'a')).toBe(2);
  });

  test('that is slow but succeeds keeps its slots', () => {
    const slots = new EndpointSlots({ concurrency: 100, endpointConcurrency: 5 });
    succeed(slots, 'a', 10);
    slots.acquire('a');
    slots.release('a', SLOW);

    expect(takeAll(slots, 'a')).toBe(5);
  });
});

describe('slow endpoints', () => {
  test('have half of the slots, however many they are; the other half is for the others', () => {
    const slots = new EndpointSlots({ concurrency: 10, endpointConcurrency: 5 });
    const suspects = Array.from({ length: 30 }, (_, index) => `slow ${index}`);
    for (const endpointId of suspects) {
      slots.acquire(endpointId);
      slots.release(endpointId, FAILED);
    }

    const taken = suspects
      .map((endpointId) => takeAll(slots, endpointId))
      .reduce((sum, count) => sum + count, 0);

    expect(taken).toBe(5);
    expect(slots.free).toBe(5);
    expect(takeAll(slots, 'quick')).toBe(2);
  });

  test('that were fast before and all hang together take no slots from the others', () => {
    const slots = new EndpointSlots({ concurrency: 10, endpointConcurrency: 5 });
    for (const endpointId of ['a', 'b']) {
      succeed(slots, endpointId, 10);
      expect(takeAll(slots, endpointId)).toBe(5);
    }
    expect(takeAll(slots, 'quick')).toBe(0);

    for (const endpointId of ['a', 'b']) slots.markSlow(endpointId);

    expect(takeAll(slots, 'quick')).toBe(2);
    expect(claimable(slots, 'a')).toBe(0);
  });

  test('never exceed three times the concurrency in total', () => {
    const slots = new EndpointSlots({ concurrency: 10, endpointConcurrency: 5 });
    let taken = 0;
    for (let n = 0; n < 100; n += 1) {
      taken += takeAll(slots, `hangs ${n}`);
      slots.markSlow(`hangs ${n}`);
    }

    expect(taken).toBe(30);
    expect(slots.claimLimits()).toEqual([]);
  });

  test('are normal again after a fast success', () => {
    const slots = new EndpointSlots({ concurrency: 10, endpointConcurrency: 5 });
    slots.acquire('a');
    slots.release('a', FAILED);
    expect(slots.claimLimits().map(({ only }) => only)).toEqual([['a'], undefined]);

    succeed(slots, 'a', 1);

    expect(slots.claimLimits().map(({ only }) => only)).toEqual([undefined]);
  });
});
