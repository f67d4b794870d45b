import type { KeyGrant } from '@tidings/accounts/api-keys';
import { AppError, backoffMs, type Clock } from '@tidings/platform';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/** Finds what a key may do, from memory where it was seen lately. */
export interface KeyCache {
  /**
   * Null for anything but a live key of this application: at once where memory can tell, else when the store has answered.
   * @throws AppError `unavailable`, by the promise, when nobody can tell
   */
  find(applicationId: string, key: string): KeyGrant | null | Promise<KeyGrant | null>;
  /** Forgets an application whose keys or rules changed; null: changes may have been missed, so every key is looked up again. */
  invalidate(applicationId: string | null): void;
}

const ENTRIES_MAX = 10_000;
/** From this age on the next use of a good key looks it up again, and does not wait for it. */
const REFRESH_MS = 20_000;
/** An entry of this age is not used without a look, also when no change was announced: the bound while Redis is away. */
const FRESH_MS = 30_000;
/** While Postgres is away a key that was good serves on for this long. */
const STALE_MS = 15 * 60_000;
const LOOKUP_TIMEOUT_MS = 2_000;
/** While Postgres refuses, the keys that serve on are looked up again after this, all of them together one at a time. */
const RETRY = { baseMs: 500, capMs: 5_000 } as const;
/** Look-ups under way beyond which a key that nobody knows is not looked up: whoever guesses keys gets no further. */
const LOOKUPS_MAX = 256;

type Entry = {
  readonly applicationId: string;
  readonly grant: KeyGrant | null;
  readAt: number;
  isDue: boolean;
};
type Wanted = { readonly cacheKey: string; readonly applicationId: string; readonly key: string };

export function createKeyCache({
  findKeyGrant,
  clock,
  random,
}: {
  readonly findKeyGrant: (applicationId: string, key: string) => Promise<KeyGrant | null>;
  readonly clock: Clock;
  readonly random?: () => number;
}): KeyCache {
  const granted = new LRUCache<string, Entry>({ max: ENTRIES_MAX });
  // Apart, so that somebody who guesses keys does not push the good ones out.
  const refused = new LRUCache<string, Entry>({ max: ENTRIES_MAX });
  const underway = new Map<string, Promise<Entry>>();
  const store = { generation: 0, isAway: false, lookups: 0, failures: 0, retryAt: -Infinity };

  const lookUp = ({ cacheKey, applicationId, key }: Wanted): Promise<Entry> => {
    const running = underway.get(cacheKey);
    if (running !== undefined) return running;
    const startedIn = store.generation;
    store.lookups += 1;
    const lookup = withTimeout(findKeyGrant(applicationId, key))
      .then(
        (grant) => {
          Object.assign(store, { isAway: false, failures: 0 });
          const entry = { applicationId, grant, readAt: clock.monotonicMs(), isDue: false };
          // What was read before a change was announced may be the old state.
          if (startedIn === store.generation) {
            (grant === null ? granted : refused).delete(cacheKey);
            (grant === null ? refused : granted).set(cacheKey, entry);
          }
          return entry;
        },
        (error: unknown) => {
          store.isAway = true;
          store.retryAt = clock.monotonicMs() + backoffMs(RETRY, store.failures, random);
          store.failures += 1;
          throw error;
        },
      )
      .finally(() => {
        store.lookups -= 1;
        if (underway.get(cacheKey) === lookup) underway.delete(cacheKey);
      });
    underway.set(cacheKey, lookup);
    return lookup;
  };

  /** Behind a request that does not wait for it. */
  const refresh = (wanted: Wanted): void => {
    if (store.isAway) {
      const now = clock.monotonicMs();
      if (now < store.retryAt) return;
      // One look-up is enough to tell whether the store is back.
      store.retryAt = now + LOOKUP_TIMEOUT_MS;
    }
    // A later use tries again, and waits where it has to.
    lookUp(wanted).catch(() => undefined);
  };

  const askStore = async (
    wanted: Wanted,
    stale: KeyGrant | null | undefined,
  ): Promise<KeyGrant | null> => {
    if (stale && store.isAway) {
      // The look-up that finds the store back is not worth a wait of its timeout for every request.
      refresh(wanted);
      return stale;
    }
    if (!stale && store.lookups >= LOOKUPS_MAX && !underway.has(wanted.cacheKey)) {
      throw new AppError('unavailable', 'Too many keys are being checked. Try again.', {
        retryAfterSeconds: 1,
      });
    }
    try {
      return (await lookUp(wanted)).grant;
    } catch (error) {
      if (stale) return stale;
      throw new AppError('unavailable', 'The key cannot be checked right now. Try again.', {
        cause: error,
        retryAfterSeconds: 2,
      });
    }
  };

  return {
    find(applicationId, key) {
      // A key is hashed whatever is known of it: neither memory nor the time of the answer tells one from another.
      const cacheKey = applicationId + hash('sha256', key, 'base64');
      const known = granted.get(cacheKey) ?? refused.get(cacheKey);
      if (known === undefined) return askStore({ cacheKey, applicationId, key }, undefined);
      const ageMs = clock.monotonicMs() - known.readAt;
      if (ageMs < FRESH_MS && !known.isDue) {
        if (ageMs >= REFRESH_MS && known.grant !== null) refresh({ cacheKey, applicationId, key });
        return known.grant;
      }
      // Only a grant: a refusal may be out of date, and nobody is refused on a guess.
      return askStore({ cacheKey, applicationId, key }, ageMs < STALE_MS ? known.grant : undefined);
    },
    invalidate(applicationId) {
      store.generation += 1;
      store.retryAt = -Infinity;
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
