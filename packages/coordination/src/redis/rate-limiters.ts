import { Gauge, type Logger } from '@tidings/platform';
import { LocalBucket } from '../rates/local-bucket.ts';
import type { RateLimiter, RateLimiters } from '../rates/rate-limiter.ts';
import { rememberBuckets } from '../rates/remember-buckets.ts';
import { LeasedBucket, type LeasedBucketContext, type SharedState } from './leased-bucket.ts';
import { MeteredBucket } from './metered-bucket.ts';

const sharesAlone = new Gauge({
  name: 'tidings_rates_without_redis',
  help: '1 while Redis does not respond and this process counts requests by itself.',
});

/** Whether the shared buckets of a process respond, for all its limiters. */
export function createSharedState(logger: Logger): SharedState {
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
          { err: cause },
          'rates are counted without redis, each process grants its share',
        );
      else logger.info('rates are shared through redis again');
    },
  };
  return state;
}

/**
 * Rates that all processes share through Redis. `shared` is of one holder, which no other limiters
 * have. `replicas` is the highest number of processes: each grants that fraction of every rate while
 * the shared buckets do not respond.
 */
export function createRedisRateLimiters(context: LeasedBucketContext): RateLimiters {
  // One for each kind: a holder has one lease of a bucket.
  const limiters = new Map<string, RateLimiter>();
  return (kind) => {
    let limiter = limiters.get(kind);
    if (limiter === undefined) limiters.set(kind, (limiter = createLimiter(kind, context)));
    return limiter;
  };
}

function createLimiter(kind: string, context: LeasedBucketContext): RateLimiter {
  return {
    // Redis holds the buckets that this process forgets.
    bucketOf: rememberBuckets((owner, rate) => new LeasedBucket(`${kind}:${owner}`, rate, context)),
    meterOf: rememberBuckets((owner, rate) => new MeteredBucket(`${kind}:${owner}`, rate, context)),
    localOf: rememberBuckets((_owner, rate) => new LocalBucket(rate, context.clock)),
  };
}
