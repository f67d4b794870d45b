export type { Coordination } from './coordination.ts';
export { createInProcessCoordination } from './in-process/coordination.ts';
export { openCoordination } from './open-coordination.ts';
export type {
  LocalRate,
  RateBucket,
  RateLevel,
  RateLimiter,
  RateLimiters,
  RateMeter,
  RateState,
} from './rates/rate-limiter.ts';
export { redisConfig } from './redis/client.ts';
