import type { ClaimLimits } from '@tidings/webhook-queue/queue';
import { LRUCache } from 'lru-cache';

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

export type EndpointSlotsOptions = {
  readonly concurrency: number;
  readonly endpointConcurrency: number;
};

/**
 * Limits concurrent webhooks. An endpoint starts with two slots, gets one more with every success,
 * and falls back to one after a failure.
 *
 * Slow and failing endpoints together may claim half of the slots. Slots above that half, acquired
 * while they were still fast, do not count against the other endpoints.
 */
export class EndpointSlots {
  readonly #options: EndpointSlotsOptions;
  readonly #initialSlots: number;
  /** Maximum slots of all slow endpoints together. */
  readonly #slowSlotsMax: number;
  readonly #limits = new LRUCache<string, number>(CACHE);
  readonly #slowEndpoints = new LRUCache<string, true>(CACHE);
  readonly #inFlight = new Map<string, number>();
  #total = 0;

  constructor(options: EndpointSlotsOptions) {
    this.#options = options;
    this.#initialSlots = Math.min(INITIAL_SLOTS, options.endpointConcurrency);
    this.#slowSlotsMax = Math.max(1, Math.floor(options.concurrency / 2));
  }

  /** Free slots, for any endpoint. */
  get free(): number {
    return this.#freeBeside(this.#countSlowInFlight());
  }

  /** What may be claimed now: for slow endpoints, and for all others. */
  claimLimits(): ClaimLimits[] {
    const slowInFlight = this.#countSlowInFlight();
    const free = this.#freeBeside(slowInFlight);
    if (free === 0) return [];
    const slow = [...this.#slowEndpoints.keys()];
    const others = [...new Set([...this.#limits.keys(), ...this.#inFlight.keys()])].filter(
      (endpointId) => !this.#slowEndpoints.has(endpointId),
    );
    return [
      ...this.#slowLimits(slow, Math.min(free, this.#slowSlotsMax - slowInFlight)),
      {
        except: slow,
        rowsByEndpoint: this.#freeSlotsByEndpoint(others),
        rowsPerOther: this.#initialSlots,
        rowsMax: free,
      },
    ];
  }

  acquire(endpointId: string): void {
    this.#total += 1;
    this.#inFlight.set(endpointId, (this.#inFlight.get(endpointId) ?? 0) + 1);
  }

  /** Call when it has not answered in time. */
  markSlow(endpointId: string): void {
    this.#slowEndpoints.set(endpointId, true);
  }

  release(
    endpointId: string,
    { isSuccess, isPrompt }: { readonly isSuccess: boolean; readonly isPrompt: boolean },
  ): void {
    const { endpointConcurrency } = this.#options;
    this.#total -= 1;
    const left = (this.#inFlight.get(endpointId) ?? 1) - 1;
    if (left === 0) this.#inFlight.delete(endpointId);
    else this.#inFlight.set(endpointId, left);
    this.#limits.set(
      endpointId,
      isSuccess
        ? Math.min(endpointConcurrency, this.#limitOf(endpointId) + 1)
        : Math.min(SLOTS_AFTER_FAILURE, endpointConcurrency),
    );
    if (isSuccess && isPrompt) this.#slowEndpoints.delete(endpointId);
    else this.#slowEndpoints.set(endpointId, true);
  }

  #slowLimits(slow: readonly string[], rowsMax: number): ClaimLimits[] {
    const only = slow.filter((endpointId) => this.#freeSlots(endpointId) > 0);
    return rowsMax > 0 && only.length > 0
      ? [{ only, rowsByEndpoint: this.#freeSlotsByEndpoint(only), rowsPerOther: 0, rowsMax }]
      : [];
  }

  /** Slow endpoints above their share do not reduce the free slots of the others. */
  #freeBeside(slowInFlight: number): number {
    const { concurrency } = this.#options;
    return Math.max(
      0,
      Math.min(
        concurrency - (this.#total - slowInFlight) - Math.min(slowInFlight, this.#slowSlotsMax),
        inFlightMax({ concurrency }) - this.#total,
      ),
    );
  }

  #countSlowInFlight(): number {
    return [...this.#inFlight].reduce(
      (sum, [endpointId, count]) => sum + (this.#slowEndpoints.has(endpointId) ? count : 0),
      0,
    );
  }

  #limitOf(endpointId: string): number {
    return this.#limits.get(endpointId) ?? this.#initialSlots;
  }

  #freeSlots(endpointId: string): number {
    return Math.max(0, this.#limitOf(endpointId) - (this.#inFlight.get(endpointId) ?? 0));
  }

  #freeSlotsByEndpoint(endpointIds: readonly string[]): Map<string, number> {
    return new Map(endpointIds.map((endpointId) => [endpointId, this.#freeSlots(endpointId)]));
  }
}
