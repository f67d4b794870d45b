import type { Rate } from '@tidings/contracts';
import { Gauge, type Clock, type Logger } from '@tidings/platform';
import { LRUCache } from 'lru-cache';
import { LeasedBucket, type RateState, type SharedState } from './leased-bucket.ts';
import type { SharedBuckets } from './shared-buckets.ts';

const sharesAlone = new Gauge({ name: 'tidings_rates_without_redis', help: '1 while requests are counted by this process alone.' });

/** One bucket, for as long as a request is decided. */
export interface RateBucket {
  /** Takes a token: at once where memory can tell, which is nearly always; else when the shared bucket has answered. */
  take(): boolean | Promise<boolean>;
  state(): RateState;
}

/** The buckets of one kind of request. */
export interface RateLimiter {
  /** That of an application, or of one caller of it: whoever has this name. */
  bucketOf(owner: string, rate: Rate): RateBucket;
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
      if (isAway) logger.warn({ err: cause, replicas }, 'rates are counted without redis, each gateway grants its share');
      else logger.info('rates are shared through redis again');
    },
  };
  const context = { shared, clock, state, replicas };
  return (kind) => {
    const buckets = new LRUCache<string, LeasedBucket>({ max: BUCKETS_MAX });
    return {
      bucketOf(owner, rate) {
        const known = buckets.get(owner);
        if (known !== undefined) {
          known.setRate(rate);
          return known;
        }
        const bucket = new LeasedBucket(`${kind}:${owner}`, rate, context);
        buckets.set(owner, bucket);
        return bucket;
      },
    };
  };
}
