import type { ClaimLimits } from '@tidings/webhook-queue/queue';
import { LRUCache } from 'lru-cache';

/**
 * Limits concurrent webhooks. An endpoint starts with two slots, gets one more with every success,
 * and falls back to one after a failure.
 *
 * Slow and failing endpoints together may claim half of the slots. Slots above that half, acquired
 * while they were still fast, do not count against the other endpoints.
 */
export interface EndpointSlots {
  /** What may be claimed now: for slow endpoints, and for all others. */
  claimLimits(): ClaimLimits[];
  /** Free slots, for any endpoint. */
  readonly free: number;
  acquire(endpointId: string): void;
  /** Call when it has not answered in time. */
  markSlow(endpointId: string): void;
  release(
    endpointId: string,
    result: { readonly isSuccess: boolean; readonly isPrompt: boolean },
  ): void;
}

const INITIAL_SLOTS = 2;
const SLOTS_AFTER_FAILURE = 1;
/**
 * Maximum webhooks in flight, as a multiple of the concurrency, even when many endpoints turn slow
 * at once.
 */
const OVERCOMMIT_MAX = 3;
/**
 * The state of an endpoint is dropped after an hour, or when 10,000 others were used more recently.
 */
const CACHE = { max: 10_000, ttl: 3_600_000 };

/** Maximum requests in flight. */
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
