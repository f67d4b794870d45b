import type { Rate } from '@tidings/contracts';
import { Gauge, type Clock, type Logger } from '@tidings/platform';
import { LRUCache } from 'lru-cache';
import { LeasedBucket, type RateState, type SharedState } from './leased-bucket.ts';
import { LocalBucket } from './local-bucket.ts';
import { MeteredBucket } from './metered-bucket.ts';
import type { SharedBuckets } from './shared-buckets.ts';

const sharesAlone = new Gauge({
  name: 'tidings_rates_without_redis',
  help: '1 while this process counts requests without Redis.',
});

/** Fill level of a bucket. */
export interface RateLevel {
  /** From 0 (empty) to 1 (full): the level after the last change, without the refill since. */
  shareAtLeast(): number;
  state(): RateState;
}

/** The bucket of one request. */
export interface RateBucket extends RateLevel {
  /** Takes a token. Nearly always synchronous; otherwise it waits for the shared bucket. */
  take(): boolean | Promise<boolean>;
  /** Refunds the token of a request that does not count. */
  refund(): void;
}

/** A bucket that is charged after the fact, so it never waits. */
export interface RateMeter extends RateLevel {
  hasTokens(): boolean;
  charge(amount: number): void;
  /** Refunds a charge that was not spent. */
  refund(amount: number): void;
}

/** A bucket of this process only. */
export interface LocalRate extends RateLevel {
  take(): boolean;
}

/** The buckets of one kind of request, by owner: an application, or one caller within it. */
export interface RateLimiter {
  bucketOf(owner: string, rate: Rate): RateBucket;
  meterOf(owner: string, rate: Rate): RateMeter;
  /**
   * For owners too numerous to share: each process grants the whole rate. The least recently used
   * are dropped and start full again.
   */
  localOf(owner: string, rate: Rate): LocalRate;
}

/** Owners with a bucket in memory; Redis holds the others. */
const BUCKETS_MAX = 10_000;

/**
 * Rates that all processes share. `replicas` is the highest number of processes: each grants that
 * fraction of every rate while the shared buckets do not respond.
 */
export function createRateLimiters({
  shared,
  clock,
  logger,
  replicas,
}: {
  readonly shared: SharedBuckets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly replicas: number;
}): (kind: string) => RateLimiter {
  const state: SharedState = {
    isAway: false,
    probeAt: -Infinity,
    setAway(isAway, cause) {
      if (isAway === state.isAway) return;
      state.isAway = isAway;
      sharesAlone.set(isAway ? 1 : 0);
      // Also for a Redis that accepts connections and never responds, which its client does not
      // report.
      if (isAway)
        logger.warn(
          { err: cause, replicas },
          'rates are counted without redis, each process grants its share',
        );
      else logger.info('rates are shared through redis again');
    },
  };
  const context = { shared, clock, state, replicas };
  return (kind) => ({
    bucketOf: rememberBuckets((owner, rate) => new LeasedBucket(`${kind}:${owner}`, rate, context)),
    meterOf: rememberBuckets((owner, rate) => new MeteredBucket(`${kind}:${owner}`, rate, context)),
    localOf: rememberBuckets((_owner, rate) => new LocalBucket(rate, clock)),
  });
}

function rememberBuckets<Bucket extends { setRate(rate: Rate): void }>(
  create: (owner: string, rate: Rate) => Bucket,
): (owner: string, rate: Rate) => Bucket {
  let buckets: LRUCache<string, Bucket> | undefined;
  return (owner, rate) => {
    // Created on first use: most kinds use one sort of bucket, and each cache reserves its memory
    // at once.
    buckets ??= new LRUCache<string, Bucket>({ max: BUCKETS_MAX });
    const known = buckets.get(owner);
    if (known !== undefined) {
      known.setRate(rate);
      return known;
    }
    const bucket = create(owner, rate);
    buckets.set(owner, bucket);
    return bucket;
  };
}
