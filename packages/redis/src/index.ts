export { connectRedis, redisConfig, type Redis } from './client.ts';
export { publishInboxNudge, subscribeInboxNudges } from './inbox-nudges.ts';
export { publishKeyChange, subscribeKeyChanges } from './key-changes.ts';
export type { RateState } from './rates/leased-bucket.ts';
export { createRateLimiters, type RateBucket, type RateLimiter } from './rates/rate-limiter.ts';
export { createSharedBuckets, type SharedBuckets } from './rates/shared-buckets.ts';
