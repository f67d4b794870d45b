import type { Clock } from '@tidings/platform';
import { LRUCache } from 'lru-cache';

/** Bounds the look-ups of unknown credentials from each network address, by places: one for each look-up under way. */
export interface LookupPermits {
  /** False when as many places of the address are taken as it may have. */
  acquire(block: string, placesMax: number): boolean;
  /** @param isHeld keeps the place for one second more: so each place allows one look-up a second, also where the caller hangs up */
  release(block: string, isHeld: boolean): void;
}

const HOLD_MS = 1_000;
/** Addresses whose held places are remembered; the least recently used are forgotten. */
const ADDRESSES_MAX = 10_000;

export function createLookupPermits({ clock }: { readonly clock: Clock }): LookupPermits {
  const underway = new Map<string, number>();
  /** When held places become free, in the order of time. */
  const heldUntil = new LRUCache<string, number[]>({ max: ADDRESSES_MAX });

  const countHeld = (block: string): number => {
    const times = heldUntil.get(block);
    if (times === undefined) return 0;
    const now = clock.monotonicMs();
    while (times[0] !== undefined && times[0] <= now) times.shift();
    if (times.length === 0) heldUntil.delete(block);
    return times.length;
  };

  return {
    acquire(block, placesMax) {
      const own = underway.get(block) ?? 0;
      if (own + countHeld(block) >= placesMax) return false;
      underway.set(block, own + 1);
      return true;
    },
    release(block, isHeld) {
      const own = (underway.get(block) ?? 0) - 1;
      if (own > 0) underway.set(block, own);
      else underway.delete(block);
      if (!isHeld) return;
      const times = heldUntil.get(block) ?? [];
      times.push(clock.monotonicMs() + HOLD_MS);
      heldUntil.set(block, times);
    },
  };
}
