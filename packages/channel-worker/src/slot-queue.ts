import type { Clock } from '@tidings/platform';
import { LRUCache } from 'lru-cache';

/** Delay of the first chunk in a queue: the expected time until a slot returns, within these bounds. */
const FIRST_MS = { min: 1_000, max: 5_000 };
/** Chunks come due four times as often as slots return: an early chunk waits, a late one leaves a slot idle. */
const CHUNKS_PER_SLOT = 4;
/** Distance between two chunks of one queue. With the upper bound a queue drains soon after a receiver is quick again. */
const SPACING_MS = { min: 5, max: 50 };
/** Maximum delay, and its random spread. A chunk in a longer queue is checked that often. */
const DELAY_MAX_MS = 5 * 60_000;
const SPREAD = 0.1;
const QUEUES_MAX = 1_000;

/** Spreads the due times of chunks without a slot, per application. */
export interface SlotQueue {
  /**
   * Milliseconds until the application's next queue position. One of its slots is released every
   * `slotEveryMs`.
   */
  nextDelayMs(applicationId: string, slotEveryMs: number): number;
}

export function createSlotQueue(
  clock: Pick<Clock, 'monotonicMs'>,
  random: () => number = Math.random,
): SlotQueue {
  /** Time of the last assigned position. */
  const ends = new LRUCache<string, number>({ max: QUEUES_MAX });
  return {
    nextDelayMs(applicationId, slotEveryMs) {
      const now = clock.monotonicMs();
      const spacingMs = clamp(slotEveryMs / CHUNKS_PER_SLOT, SPACING_MS);
      const at = Math.max(
        now + clamp(slotEveryMs, FIRST_MS),
        (ends.get(applicationId) ?? -Infinity) + spacingMs,
      );
      if (at - now > DELAY_MAX_MS) return DELAY_MAX_MS * (1 + SPREAD * random());
      ends.set(applicationId, at);
      return at - now;
    },
  };
}

type Bounds = { readonly min: number; readonly max: number };

const clamp = (ms: number, { min, max }: Bounds): number => Math.min(max, Math.max(min, ms));
