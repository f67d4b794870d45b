import { describe, expect, test } from '@jest/globals';
import { createEndpointSlots, type EndpointSlots } from './endpoint-slots.ts';

const GOOD = { isSuccess: true, isPrompt: true };
const FAILED = { isSuccess: false, isPrompt: true };
const SLOW = { isSuccess: true, isPrompt: false };

/** How many of an endpoint's events may be claimed now. */
function roomOf(slots: EndpointSlots, endpointId: string): number {
  for (const room of slots.claimLimits()) {
    const isMeant =
      room.only === undefined
        ? room.except?.includes(endpointId) !== true
        : room.only.includes(endpointId);
    if (isMeant)
      return Math.min(room.rowsByEndpoint.get(endpointId) ?? room.rowsPerOther, room.rowsMax);
  }
  return 0;
}

function takeAll(slots: EndpointSlots, endpointId: string): number {
  let taken = 0;
  for (let room = roomOf(slots, endpointId); room > 0; room = roomOf(slots, endpointId)) {
    for (; room > 0; room -= 1, taken += 1) slots.acquire(endpointId);
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
  test('begins with two places, gets one more with every success up to its limit, and falls back to one', () => {
    const slots = createEndpointSlots({ concurrency: 100, endpointConcurrency: 5 });

    expect(roomOf(slots, 'a')).toBe(2);
    succeed(slots, 'a', 1);
    expect(roomOf(slots, 'a')).toBe(3);
    succeed(slots, 'a', 50);
    expect(takeAll(slots, 'a')).toBe(5);
    slots.release('a', FAILED);
    for (let n = 0; n < 4; n += 1) slots.release('a', FAILED);
    expect(takeAll(slots, 'a')).toBe(1);
    slots.release('a', GOOD);
    expect(takeAll(slots, 'a')).toBe(2);
  });

  test('that is slow but succeeds keeps its places', () => {
    const slots = createEndpointSlots({ concurrency: 100, endpointConcurrency: 5 });
    succeed(slots, 'a', 10);
    slots.acquire('a');
    slots.release('a', SLOW);

    expect(takeAll(slots, 'a')).toBe(5);
  });
});

describe('suspects', () => {
  test('have half of the places, however many they are; the other half is for the others', () => {
    const slots = createEndpointSlots({ concurrency: 10, endpointConcurrency: 5 });
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

  test('that were quick before, and all hang at the same time, take no places from the others once they are slow', () => {
    const slots = createEndpointSlots({ concurrency: 10, endpointConcurrency: 5 });
    for (const endpointId of ['a', 'b']) {
      succeed(slots, endpointId, 10);
      expect(takeAll(slots, endpointId)).toBe(5);
    }
    expect(takeAll(slots, 'quick')).toBe(0);

    for (const endpointId of ['a', 'b']) slots.markSlow(endpointId);

    expect(takeAll(slots, 'quick')).toBe(2);
    expect(roomOf(slots, 'a')).toBe(0);
  });

  test('never make the whole exceed three times the concurrency', () => {
    const slots = createEndpointSlots({ concurrency: 10, endpointConcurrency: 5 });
    let taken = 0;
    for (let n = 0; n < 100; n += 1) {
      taken += takeAll(slots, `hangs ${n}`);
      slots.markSlow(`hangs ${n}`);
    }

    expect(taken).toBe(30);
    expect(slots.claimLimits()).toEqual([]);
  });

  test('are trusted again after a prompt success', () => {
    const slots = createEndpointSlots({ concurrency: 10, endpointConcurrency: 5 });
    slots.acquire('a');
    slots.release('a', FAILED);
    expect(slots.claimLimits().map(({ only }) => only)).toEqual([['a'], undefined]);

    succeed(slots, 'a', 1);

    expect(slots.claimLimits().map(({ only }) => only)).toEqual([undefined]);
  });
});
