import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { KeyGrant } from '@tidings/db';
import { AppError, type Clock } from '@tidings/platform';
import { LRUCache } from 'lru-cache';

/** Finds what a key may do, from memory where it was seen lately. */
export interface KeyCache {
  /** Null for anything but a live key of this application. @throws AppError `unavailable` when nobody can tell */
  find(applicationId: string, key: string): Promise<KeyGrant | null>;
  /** Forgets an application whose keys changed; null: changes may have been missed, so every key is looked up again. */
  forget(applicationId: string | null): void;
}

const ENTRIES_MAX = 10_000;
/** An entry is looked up again after this, also when no change was announced: the bound while Redis is away. */
const FRESH_MS = 30_000;
/** While Postgres is away a key that was good serves on for this long. */
const STALE_MS = 15 * 60_000;
const LOOKUP_TIMEOUT_MS = 2_000;

type Entry = { readonly applicationId: string; readonly grant: KeyGrant | null; readAt: number; isDue: boolean };

export function createKeyCache({
  findKeyGrant,
  clock,
}: {
  readonly findKeyGrant: (applicationId: string, key: string) => Promise<KeyGrant | null>;
  readonly clock: Clock;
}): KeyCache {
  const granted = new LRUCache<string, Entry>({ max: ENTRIES_MAX });
  // Apart, so that somebody who guesses keys does not push the good ones out.
  const refused = new LRUCache<string, Entry>({ max: ENTRIES_MAX });
  const underway = new Map<string, Promise<Entry>>();
  let generation = 0;
  let isStoreAway = false;

  const lookUp = (cacheKey: string, applicationId: string, key: string): Promise<Entry> => {
    const running = underway.get(cacheKey);
    if (running !== undefined) return running;
    const startedIn = generation;
    const lookup = withTimeout(findKeyGrant(applicationId, key))
      .then(
        (grant) => {
          isStoreAway = false;
          const entry = { applicationId, grant, readAt: clock.monotonicMs(), isDue: false };
          // What was read before a change was announced may be the old state.
          if (startedIn === generation) {
            (grant === null ? granted : refused).delete(cacheKey);
            (grant === null ? refused : granted).set(cacheKey, entry);
          }
          return entry;
        },
        (error: unknown) => {
          isStoreAway = true;
          throw error;
        },
      )
      .finally(() => {
        if (underway.get(cacheKey) === lookup) underway.delete(cacheKey);
      });
    underway.set(cacheKey, lookup);
    return lookup;
  };

  return {
    async find(applicationId, key) {
      const cacheKey = `${applicationId}:${createHash('sha256').update(key).digest('base64')}`;
      const known = granted.get(cacheKey) ?? refused.get(cacheKey);
      const ageMs = known === undefined ? Infinity : clock.monotonicMs() - known.readAt;
      if (known !== undefined && !known.isDue && ageMs < FRESH_MS) return known.grant;

      // Only a grant: a refusal may be out of date, and nobody is refused on a guess.
      const stale = ageMs < STALE_MS ? known?.grant : undefined;
      const lookup = lookUp(cacheKey, applicationId, key);
      if (stale && isStoreAway) {
        // The look-up that finds the store back is not worth a wait of its timeout for every request.
        lookup.catch(() => undefined);
        return stale;
      }
      try {
        return (await lookup).grant;
      } catch (error) {
        if (stale) return stale;
        throw new AppError('unavailable', 'The key cannot be checked right now. Try again.', { cause: error, retryAfterSeconds: 2 });
      }
    },
    forget(applicationId) {
      generation += 1;
      underway.clear();
      for (const cache of [granted, refused]) {
        // Nothing is set or deleted meanwhile: the cache would go on from another place.
        for (const entry of cache.values()) {
          if (applicationId === null) entry.isDue = true;
          else if (entry.applicationId === applicationId) entry.readAt = -Infinity;
        }
      }
    },
  };
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const timeout = new AbortController();
  try {
    return await Promise.race([
      work,
      delay(LOOKUP_TIMEOUT_MS, undefined, { signal: timeout.signal }).then(() => {
        throw new Error('the look-up of a key took too long');
      }),
    ]);
  } finally {
    timeout.abort();
  }
}
