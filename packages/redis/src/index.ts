export { connectRedis, redisConfig, type Redis } from './client.ts';
export { publishInboxWakeUp, subscribeInboxWakeUps } from './inbox-wake-ups.ts';
export { publishKeyChange, subscribeKeyChanges } from './key-changes.ts';
export type { RateState } from './rates/leased-bucket.ts';
export {
  createRateLimiters,
  type LocalRate,
  type RateBucket,
  type RateLevel,
  type RateLimiter,
  type RateMeter,
} from './rates/rate-limiter.ts';
export {
  createSharedBuckets,
  NO_SHARED_BUCKETS,
  type SharedBuckets,
} from './rates/shared-buckets.ts';
