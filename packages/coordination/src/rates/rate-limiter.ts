import type { Rate } from '@tidings/contracts/limits';

/** The state of a bucket for response headers, in whole numbers. */
export type RateState = {
  readonly limit: number;
  /** Tokens left, as known to this process. */
  readonly remaining: number;
  /** Seconds until the bucket is full. */
  readonly resetSeconds: number;
  /** Seconds until a token may be available; at least 1. */
  readonly retryAfterSeconds: number;
};

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

/** A bucket of this service only. */
export interface LocalRate extends RateLevel {
  take(): boolean;
}

/** The buckets of one kind of request, by owner: an application, or one caller within it. */
export interface RateLimiter {
  bucketOf(owner: string, rate: Rate): RateBucket;
  meterOf(owner: string, rate: Rate): RateMeter;
  /**
   * For owners too numerous to share: each service of each process grants the whole rate. The least
   * recently used are dropped and start full again.
   */
  localOf(owner: string, rate: Rate): LocalRate;
}

/** The limiters of one service, by kind of request. A kind is the same in all services. */
export type RateLimiters = (kind: string) => RateLimiter;
