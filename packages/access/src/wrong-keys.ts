import { addressBlock, type Clock } from '@tidings/platform';
import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';

/**
 * Slows down whoever guesses keys: from one address, or of one application from many. It never changes an answer, and never
 * touches one to a right key, so that nobody can be locked out by the guesses of others.
 */
export interface WrongKeys {
  /** Counts a wrong key. A promise to wait for before the answer, or null when it need not wait. */
  note(guess: FailedAttempt, res: ServerResponse): Promise<void> | null;
  /** How many more wrong keys like this one are answered at once in this minute. */
  undelayedLeft(guess: FailedAttempt): number;
  /** Whether any wrong key came from this address in this minute. */
  hasFailuresFrom(address: string | null): boolean;
}

/** Where a wrong key came from, and the application it was for, whether or not there is such a one; null for what nobody can read. */
export type FailedAttempt = {
  readonly address: string | null;
  readonly applicationId: string | null;
};

const WINDOW_MS = 60_000;
const COUNTS_MAX = 10_000;

export type WrongKeysOptions = {
  readonly clock: Clock;
  /** Wrong keys of one address, and of one application, in a minute that are answered at once. */
  readonly freeMax?: number;
  readonly delayMs?: number;
  /** Answers that wait at the same time; beyond it nobody waits, for a socket that waits is a cost of ours. */
  readonly delayedMax?: number;
};

type Count = { readonly startedAt: number; wrong: number };

export function createWrongKeys({
  clock,
  freeMax = 20,
  delayMs = 1_000,
  delayedMax = 1_000,
}: WrongKeysOptions): WrongKeys {
  const byAddress = new LRUCache<string, Count>({ max: COUNTS_MAX });
  const byApplication = new LRUCache<string, Count>({ max: COUNTS_MAX });
  let delayed = 0;

  /** How many there are in this minute, this one included. */
  const count = (counts: LRUCache<string, Count>, key: string): number => {
    const known = counts.get(key);
    const now = clock.monotonicMs();
    if (known !== undefined && now - known.startedAt < WINDOW_MS) return (known.wrong += 1);
    counts.set(key, { startedAt: now, wrong: 1 });
    return 1;
  };

  const countOf = (counts: LRUCache<string, Count>, key: string): number => {
    const known = counts.get(key);
    return known !== undefined && clock.monotonicMs() - known.startedAt < WINDOW_MS
      ? known.wrong
      : 0;
  };
  // Callers with unreadable addresses share one count.
  const blockOf = (address: string | null): string =>
    address === null ? '' : addressBlock(address);

  return {
    undelayedLeft({ address, applicationId }) {
      const ofApplication = applicationId === null ? 0 : countOf(byApplication, applicationId);
      return Math.max(0, freeMax - Math.max(countOf(byAddress, blockOf(address)), ofApplication));
    },
    hasFailuresFrom: (address) => countOf(byAddress, blockOf(address)) > 0,
    note({ address, applicationId }, res) {
      const ofAddress = count(byAddress, blockOf(address));
      const ofApplication = applicationId === null ? 0 : count(byApplication, applicationId);
      if (Math.max(ofAddress, ofApplication) <= freeMax || delayed >= delayedMax) return null;
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
