import type { KeyGrant } from '@tidings/accounts/api-keys';
import { AppError, backoffMs, type Clock } from '@tidings/platform';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/** Finds the grant of a key, from memory if it was seen recently. */
export interface KeyCache {
  /**
   * Null unless the key is live and belongs to this application. Synchronous if memory can answer,
   * else after a look-up in Postgres.
   * @throws AppError `unavailable`, by the promise, if neither memory nor Postgres can answer
   */
  find(applicationId: string, key: string): KeyGrant | null | Promise<KeyGrant | null>;
  /**
   * Invalidates the keys of an application whose keys or rules changed. Null: changes may have been
   * missed, so every key is looked up again.
   */
  invalidate(applicationId: string | null): void;
}

const ENTRIES_MAX = 10_000;
/** From this age on, the next use of a valid key refreshes it in the background. */
const REFRESH_MS = 20_000;
/**
 * An entry of this age is not used without a look-up. This bounds staleness while Redis, which
 * announces changes, is unavailable.
 */
const FRESH_MS = 30_000;
/** While Postgres is unavailable, a valid key stays usable for this long. */
const STALE_MS = 15 * 60_000;
const LOOKUP_TIMEOUT_MS = 2_000;
/**
 * While Postgres is unavailable, stale keys are looked up again after this backoff, one key at a
 * time.
 */
const RETRY = { baseMs: 500, capMs: 5_000 } as const;
/**
 * Maximum look-ups in progress. Beyond it an unknown key is not looked up, so key guessing cannot
 * flood Postgres.
 */
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
  onUnavailable,
}: {
  readonly findKeyGrant: (applicationId: string, key: string) => Promise<KeyGrant | null>;
  readonly clock: Clock;
  readonly random?: () => number;
  /** Called with the first failed look-up of an outage. */
  readonly onUnavailable?: (error: unknown) => void;
}): KeyCache {
  const granted = new LRUCache<string, Entry>({ max: ENTRIES_MAX });
  // Separate caches: guessed keys do not evict valid ones.
  const rejected = new LRUCache<string, Entry>({ max: ENTRIES_MAX });
  const underway = new Map<string, Promise<Entry>>();
  const store = {
    generation: 0,
    isUnavailable: false,
    lookups: 0,
    failures: 0,
    retryAt: -Infinity,
  };

  const lookUp = ({ cacheKey, applicationId, key }: Wanted): Promise<Entry> => {
    const running = underway.get(cacheKey);
    if (running !== undefined) return running;
    const startedIn = store.generation;
    store.lookups += 1;
    const lookup = withTimeout(findKeyGrant(applicationId, key))
      .then(
        (grant) => {
          Object.assign(store, { isUnavailable: false, failures: 0 });
          const entry = { applicationId, grant, readAt: clock.monotonicMs(), isDue: false };
          // A result read before a change was announced may be stale, so it is not cached.
          if (startedIn === store.generation) {
            (grant === null ? granted : rejected).delete(cacheKey);
            (grant === null ? rejected : granted).set(cacheKey, entry);
          }
          return entry;
        },
        (error: unknown) => {
          if (!store.isUnavailable) onUnavailable?.(error);
          store.isUnavailable = true;
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

  /** Refreshes an entry in the background. */
  const refresh = (wanted: Wanted): void => {
    if (store.isUnavailable) {
      const now = clock.monotonicMs();
      if (now < store.retryAt) return;
      // One look-up is enough to detect that Postgres is available again.
      store.retryAt = now + LOOKUP_TIMEOUT_MS;
    }
    // A failure is ignored: a later use retries, and waits if it must.
    lookUp(wanted).catch(() => undefined);
  };

  const lookUpAndWait = async (
    wanted: Wanted,
    stale: KeyGrant | null | undefined,
  ): Promise<KeyGrant | null> => {
    if (stale && store.isUnavailable) {
      // Do not make every request wait for the timeout of the look-up that probes Postgres.
      refresh(wanted);
      return stale;
    }
    if (!stale && store.lookups >= LOOKUPS_MAX && !underway.has(wanted.cacheKey)) {
      throw new AppError('unavailable', 'Too many unknown keys are being checked. Try again.', {
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
      // Always hash the key, so neither memory contents nor response time reveals which keys are
      // known.
      const cacheKey = applicationId + hash('sha256', key, 'base64');
      const known = granted.get(cacheKey) ?? rejected.get(cacheKey);
      if (known === undefined) return lookUpAndWait({ cacheKey, applicationId, key }, undefined);
      const ageMs = clock.monotonicMs() - known.readAt;
      if (ageMs < FRESH_MS && !known.isDue) {
        if (ageMs >= REFRESH_MS && known.grant !== null) refresh({ cacheKey, applicationId, key });
        return known.grant;
      }
      // Only a grant is served stale: a cached rejection may be outdated.
      return lookUpAndWait(
        { cacheKey, applicationId, key },
        ageMs < STALE_MS ? known.grant : undefined,
      );
    },
    invalidate(applicationId) {
      store.generation += 1;
      store.retryAt = -Infinity;
      underway.clear();
      for (const cache of [granted, rejected]) {
        // Do not set or delete entries while iterating: LRUCache would continue from another
        // position.
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
        throw new Error(`the look-up of a key took longer than ${LOOKUP_TIMEOUT_MS} ms`);
      }),
    ]);
  } finally {
    timeout.abort();
  }
}
