import { addressBlock, type Clock } from '@tidings/platform';
import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';

/**
 * Delays responses to key guessing: many wrong keys from one address, or for one application from
 * many addresses. It never changes a response and never delays a valid key, so guesses cannot lock
 * out other callers.
 */
export interface WrongKeys {
  /** Counts a wrong key. Returns the delay to await before the response, or null for none. */
  note(guess: FailedAttempt, res: ServerResponse): Promise<void> | null;
  /** How many more failures like this one get an undelayed response in the current minute. */
  undelayedLeft(guess: FailedAttempt): number;
  /** Whether this address sent a wrong key in the current minute. */
  hasFailuresFrom(address: string | null): boolean;
}

/**
 * The source of a wrong key, and the application that it named, which may not exist. Null for an
 * unreadable address or id.
 */
export type FailedAttempt = {
  readonly address: string | null;
  readonly applicationId: string | null;
};

const WINDOW_MS = 60_000;
const COUNTS_MAX = 10_000;

export type WrongKeysOptions = {
  readonly clock: Clock;
  /** Undelayed wrong keys per minute, for each address and for each application. */
  readonly freeMax?: number;
  readonly delayMs?: number;
  /**
   * Maximum delayed responses at a time; further ones are not delayed, because each holds a socket.
   */
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

  /** The count in the current minute, including this one. */
  const count = (counts: LRUCache<string, Count>, key: string): number => {
    const known = counts.get(key);
    const now = clock.monotonicMs();
    if (known !== undefined && now - known.startedAt < WINDOW_MS) return (known.wrong += 1);
    counts.set(key, { startedAt: now, wrong: 1 });
    return 1;
  };

  const readCount = (counts: LRUCache<string, Count>, key: string): number => {
    const known = counts.get(key);
    return known !== undefined && clock.monotonicMs() - known.startedAt < WINDOW_MS
      ? known.wrong
      : 0;
  };
  // Callers with unreadable addresses share one counter.
  const toBlock = (address: string | null): string =>
    address === null ? '' : addressBlock(address);

  return {
    undelayedLeft({ address, applicationId }) {
      const ofApplication = applicationId === null ? 0 : readCount(byApplication, applicationId);
      return Math.max(0, freeMax - Math.max(readCount(byAddress, toBlock(address)), ofApplication));
    },
    hasFailuresFrom: (address) => readCount(byAddress, toBlock(address)) > 0,
    note({ address, applicationId }, res) {
      const ofAddress = count(byAddress, toBlock(address));
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
        // A closed response ends the delay.
        res.once('close', finish);
      });
    },
  };
}
