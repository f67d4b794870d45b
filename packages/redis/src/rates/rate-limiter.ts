import type { Rate } from '@tidings/contracts';
import { Gauge, type Clock, type Logger } from '@tidings/platform';
import { LRUCache } from 'lru-cache';
import { LeasedBucket, type RateState, type SharedState } from './leased-bucket.ts';
import { LocalBucket } from './local-bucket.ts';
import { MeteredBucket } from './metered-bucket.ts';
import type { SharedBuckets } from './shared-buckets.ts';

const sharesAlone = new Gauge({
  name: 'tidings_rates_without_redis',
  help: '1 while requests are counted by this process alone.',
});

/** How full a bucket is. */
export interface RateLevel {
  /** From 0, empty, to 1, full: what was left after the last change, without what has come back since. */
  shareAtLeast(): number;
  state(): RateState;
}

/** One bucket, for as long as a request is decided. */
export interface RateBucket extends RateLevel {
  /** Takes a token: at once where memory can tell, which is nearly always; else when the shared bucket has answered. */
  take(): boolean | Promise<boolean>;
  /** Returns the token of a request that does not count after all. */
  refund(): void;
}

/** A bucket that is charged after the fact, and so never waits. */
export interface RateMeter extends RateLevel {
  hasTokens(): boolean;
  charge(amount: number): void;
  /** Returns what was charged and not spent after all. */
  refund(amount: number): void;
}

/** A bucket of this process alone. */
export interface LocalRate extends RateLevel {
  take(): boolean;
}

/** The buckets of one kind of request, by their owner: an application, or one caller of it. */
export interface RateLimiter {
  bucketOf(owner: string, rate: Rate): RateBucket;
  meterOf(owner: string, rate: Rate): RateMeter;
  /** Of owners that are too many to share: each process grants the whole rate. The least recently used are forgotten, and start full. */
  localOf(owner: string, rate: Rate): LocalRate;
}

/** Owners whose buckets are remembered; of others Redis has the bucket. */
const BUCKETS_MAX = 10_000;

/**
 * Rates that all gateways share. `replicas` is how many of them there may be: each has that share of every rate while
 * the shared buckets do not answer.
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
      // Also of a Redis that takes connections and never answers, of which its client says nothing.
      if (isAway)
        logger.warn(
          { err: cause, replicas },
          'rates are counted without redis, each gateway grants its share',
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
    // Made with the first: most kinds have buckets of one sort, and each cache reserves its memory at once.
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
