import { addressBlock, type Clock } from '@tidings/platform';
import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';

/** Slows down whoever guesses keys. It never changes an answer, and never touches one to a right key. */
export interface WrongKeys {
  /** Counts a wrong key. A promise to wait for before the answer, or null when it need not wait. */
  note(address: string | null, res: ServerResponse): Promise<void> | null;
}

const WINDOW_MS = 60_000;
const ADDRESSES_MAX = 10_000;

export type WrongKeysOptions = {
  readonly clock: Clock;
  /** Wrong keys of one address in a minute that are answered at once. */
  readonly freeMax?: number;
  readonly delayMs?: number;
  /** Answers that wait at the same time; beyond it nobody waits, for a socket that waits is a cost of ours. */
  readonly delayedMax?: number;
};

type Count = { readonly startedAt: number; wrong: number };

export function createWrongKeys({ clock, freeMax = 20, delayMs = 1_000, delayedMax = 1_000 }: WrongKeysOptions): WrongKeys {
  const counts = new LRUCache<string, Count>({ max: ADDRESSES_MAX });
  let delayed = 0;

  const countOf = (block: string): Count => {
    const known = counts.get(block);
    const now = clock.monotonicMs();
    if (known !== undefined && now - known.startedAt < WINDOW_MS) return known;
    const fresh = { startedAt: now, wrong: 0 };
    counts.set(block, fresh);
    return fresh;
  };

  return {
    note(address, res) {
      // Callers whose address nobody can read share one count.
      const count = countOf(address === null ? '' : addressBlock(address));
      count.wrong += 1;
      if (count.wrong <= freeMax || delayed >= delayedMax) return null;
      delayed += 1;
      return new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(timer);
          res.off('close', finish);
          delayed -= 1;
          resolve();
        };
        const timer = setTimeout(finish, delayMs);
        // Whoever goes away is not waited for.
        res.once('close', finish);
      });
    },
  };
}
