import type { Clock } from '@tidings/platform';
import { LRUCache } from 'lru-cache';

/**
 * Bounds the look-ups of unknown credentials per network address: one permit for each look-up in
 * progress.
 */
export interface LookupPermits {
  /** False if the address already uses `permitsMax` permits. */
  acquire(block: string, permitsMax: number): boolean;
  /**
   * @param isHeld keeps the permit for one more second, so each permit allows one look-up per
   * second, also if the caller disconnects
   */
  release(block: string, isHeld: boolean): void;
}

const HOLD_MS = 1_000;
/** Addresses with held permits; the least recently used are dropped. */
const ADDRESSES_MAX = 10_000;

export function createLookupPermits({ clock }: { readonly clock: Clock }): LookupPermits {
  const underway = new Map<string, number>();
  /** When held permits become free, in ascending order. */
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
    acquire(block, permitsMax) {
      const own = underway.get(block) ?? 0;
      if (own + countHeld(block) >= permitsMax) return false;
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
