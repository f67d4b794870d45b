import type { ClaimLimits } from '@tidings/webhook-queue/queue';
import { LRUCache } from 'lru-cache';

/**
 * Who may send how much at once. An endpoint begins with two places, gets one more with every success, and falls back to
 * one with a failure. Those that are slow or fail are suspects: all of them together may claim half of the places, and
 * places beyond that which they still hold, because they were quick before, are not counted against the others.
 */
export interface EndpointSlots {
  /** What may be claimed now: for the suspects, and for all others. */
  claimLimits(): ClaimLimits[];
  /** How many more may be taken by anybody. */
  readonly free: number;
  acquire(endpointId: string): void;
  /** It has not answered yet, though it could have. */
  markSlow(endpointId: string): void;
  release(
    endpointId: string,
    result: { readonly isSuccess: boolean; readonly isPrompt: boolean },
  ): void;
}

const INITIAL_SLOTS = 2;
const SLOTS_AFTER_FAILURE = 1;
/** However many turn slow at the same time, there are never more in flight than so many times the concurrency. */
const OVERCOMMIT_MAX = 3;
/** What is known of an endpoint is forgotten after this time, or when it is heard of for the longest of so many. */
const CACHE = { max: 10_000, ttl: 3_600_000 };

/** Requests that are in flight at most. */
export const inFlightMax = ({ concurrency }: { readonly concurrency: number }): number =>
  concurrency * OVERCOMMIT_MAX;

export function createEndpointSlots({
  concurrency,
  endpointConcurrency,
}: {
  readonly concurrency: number;
  readonly endpointConcurrency: number;
}): EndpointSlots {
  const limits = new LRUCache<string, number>(CACHE);
  const slowEndpoints = new LRUCache<string, true>(CACHE);
  const inFlight = new Map<string, number>();
  const initialSlots = Math.min(INITIAL_SLOTS, endpointConcurrency);
  const slowSlotsMax = Math.max(1, Math.floor(concurrency / 2));
  let total = 0;

  const limitOf = (endpointId: string): number => limits.get(endpointId) ?? initialSlots;
  const freeSlots = (endpointId: string): number =>
    Math.max(0, limitOf(endpointId) - (inFlight.get(endpointId) ?? 0));
  const freeSlotsByEndpoint = (endpointIds: readonly string[]) =>
    new Map(endpointIds.map((endpointId) => [endpointId, freeSlots(endpointId)]));
  const countSlowInFlight = (): number =>
    [...inFlight].reduce(
      (sum, [endpointId, count]) => sum + (slowEndpoints.has(endpointId) ? count : 0),
      0,
    );
  const freeOf = (held: number): number =>
    Math.max(
      0,
      Math.min(
        concurrency - (total - held) - Math.min(held, slowSlotsMax),
        inFlightMax({ concurrency }) - total,
      ),
    );

  return {
    get free() {
      return freeOf(countSlowInFlight());
    },
    claimLimits() {
      const held = countSlowInFlight();
      const free = freeOf(held);
      if (free === 0) return [];
      const suspected = [...slowEndpoints.keys()];
      const ready = suspected.filter((endpointId) => freeSlots(endpointId) > 0);
      const others = [...new Set([...limits.keys(), ...inFlight.keys()])].filter(
        (endpointId) => !slowEndpoints.has(endpointId),
      );
      const slowRows = Math.min(free, slowSlotsMax - held);
      return [
        ...(slowRows > 0 && ready.length > 0
          ? [
              {
                only: ready,
                rowsByEndpoint: freeSlotsByEndpoint(ready),
                rowsPerOther: 0,
                rowsMax: slowRows,
              },
            ]
          : []),
        {
          except: suspected,
          rowsByEndpoint: freeSlotsByEndpoint(others),
          rowsPerOther: initialSlots,
          rowsMax: free,
        },
      ];
    },
    acquire(endpointId) {
      total += 1;
      inFlight.set(endpointId, (inFlight.get(endpointId) ?? 0) + 1);
    },
    markSlow(endpointId) {
      slowEndpoints.set(endpointId, true);
    },
    release(endpointId, { isSuccess, isPrompt }) {
      total -= 1;
      const left = (inFlight.get(endpointId) ?? 1) - 1;
      if (left === 0) inFlight.delete(endpointId);
      else inFlight.set(endpointId, left);
      limits.set(
        endpointId,
        isSuccess
          ? Math.min(endpointConcurrency, limitOf(endpointId) + 1)
          : Math.min(SLOTS_AFTER_FAILURE, endpointConcurrency),
      );
      if (isSuccess && isPrompt) slowEndpoints.delete(endpointId);
      else slowEndpoints.set(endpointId, true);
    },
  };
}
