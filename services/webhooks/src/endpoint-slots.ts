import type { WebhookRoom } from '@tidings/webhook-queue/queue';
import { LRUCache } from 'lru-cache';

/**
 * Who may send how much at once. An endpoint begins with two places, gets one more with every success, and falls back to
 * one with a failure. Those that are slow or fail are suspects: all of them together may claim half of the places, and
 * places beyond that which they still hold, because they were quick before, are not counted against the others.
 */
export interface EndpointSlots {
  /** What may be claimed now: for the suspects, and for all others. */
  rooms(): WebhookRoom[];
  /** How many more may be taken by anybody. */
  readonly free: number;
  take(endpointId: string): void;
  /** It has not answered yet, though it could have. */
  suspect(endpointId: string): void;
  release(
    endpointId: string,
    result: { readonly isSuccess: boolean; readonly isPrompt: boolean },
  ): void;
}

const PLACES_AT_FIRST = 2;
const PLACES_AFTER_FAILURE = 1;
/** However many turn slow at the same time, there are never more in flight than so many times the concurrency. */
const EXCESS_MAX = 3;
/** What is known of an endpoint is forgotten after this time, or when it is heard of for the longest of so many. */
const KNOWN = { max: 10_000, ttl: 3_600_000 };

/** Requests that are in flight at most. */
export const inFlightMax = ({ concurrency }: { readonly concurrency: number }): number =>
  concurrency * EXCESS_MAX;

export function createEndpointSlots({
  concurrency,
  endpointConcurrency,
}: {
  readonly concurrency: number;
  readonly endpointConcurrency: number;
}): EndpointSlots {
  const limits = new LRUCache<string, number>(KNOWN);
  const suspects = new LRUCache<string, true>(KNOWN);
  const inFlight = new Map<string, number>();
  const placesAtFirst = Math.min(PLACES_AT_FIRST, endpointConcurrency);
  const placesOfSuspects = Math.max(1, Math.floor(concurrency / 2));
  let total = 0;

  const limitOf = (endpointId: string): number => limits.get(endpointId) ?? placesAtFirst;
  const roomOf = (endpointId: string): number =>
    Math.max(0, limitOf(endpointId) - (inFlight.get(endpointId) ?? 0));
  const roomFor = (endpointIds: readonly string[]) =>
    new Map(endpointIds.map((endpointId) => [endpointId, roomOf(endpointId)]));
  const heldBySuspects = (): number =>
    [...inFlight].reduce(
      (sum, [endpointId, count]) => sum + (suspects.has(endpointId) ? count : 0),
      0,
    );
  const freeOf = (held: number): number =>
    Math.max(
      0,
      Math.min(
        concurrency - (total - held) - Math.min(held, placesOfSuspects),
        inFlightMax({ concurrency }) - total,
      ),
    );

  return {
    get free() {
      return freeOf(heldBySuspects());
    },
    rooms() {
      const held = heldBySuspects();
      const free = freeOf(held);
      if (free === 0) return [];
      const suspected = [...suspects.keys()];
      const ready = suspected.filter((endpointId) => roomOf(endpointId) > 0);
      const others = [...new Set([...limits.keys(), ...inFlight.keys()])].filter(
        (endpointId) => !suspects.has(endpointId),
      );
      const rowsOfSuspects = Math.min(free, placesOfSuspects - held);
      return [
        ...(rowsOfSuspects > 0 && ready.length > 0
          ? [
              {
                only: ready,
                rowsOfEndpoint: roomFor(ready),
                rowsOfOthers: 0,
                rowsMax: rowsOfSuspects,
              },
            ]
          : []),
        {
          except: suspected,
          rowsOfEndpoint: roomFor(others),
          rowsOfOthers: placesAtFirst,
          rowsMax: free,
        },
      ];
    },
    take(endpointId) {
      total += 1;
      inFlight.set(endpointId, (inFlight.get(endpointId) ?? 0) + 1);
    },
    suspect(endpointId) {
      suspects.set(endpointId, true);
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
          : Math.min(PLACES_AFTER_FAILURE, endpointConcurrency),
      );
      if (isSuccess && isPrompt) suspects.delete(endpointId);
      else suspects.set(endpointId, true);
    },
  };
}
