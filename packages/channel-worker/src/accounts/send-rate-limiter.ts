import type { RateBucket, RateLimiter } from '@tidings/coordination';
import type { Clock } from '@tidings/platform';
import { LRUCache } from 'lru-cache';

/**
 * If all remaining rows of a claim get their tokens within this time, wait; otherwise release the
 * rows.
 */
const WAIT_IN_PLACE_MAX_MS = 2_000;
const TOKEN_WAIT_MIN_MS = 20;
const TOKEN_WAIT_MAX_MS = 500;
/** Maximum delay given to a row. Rows beyond it are checked again at about that time. */
const QUEUE_MAX_MS = 10 * 60_000;
const QUEUE_SPREAD = 0.1;
const QUEUES_MAX = 10_000;

/** The send rate limit of one account on the channel. */
export interface SendRateLimiter {
  /** Takes up to `wanted` tokens and returns how many it got. */
  take(wanted: number): Promise<number>;
  /**
   * Milliseconds until the next attempt for `wanted` tokens; null if the rows should be released
   * instead.
   */
  waitMs(wanted: number): number | null;
  /**
   * Delays in milliseconds of `count` rows without a token, one after another at the allowed rate.
   */
  queue(count: number): number[];
}

export interface SendRateLimiters {
  /** Null if there is no limit. */
  of(accountKey: string, settings: Readonly<Record<string, unknown>>): SendRateLimiter | null;
}

type RateLimiterTools = {
  readonly limiter: RateLimiter;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Sends per second of accounts without their own limit; 0 means no limit. */ readonly perSecond: number;
};

export function createSendRateLimiters({
  limiter,
  clock,
  perSecond: usual,
}: RateLimiterTools): SendRateLimiters {
  /** End of each account's queue, in this process. */
  const queues = new LRUCache<string, { until: number }>({ max: QUEUES_MAX });
  return {
    of(accountKey, settings) {
      const own = settings['ratePerSecond'];
      const perSecond = typeof own === 'number' && own > 0 ? own : usual;
      if (perSecond === 0) return null;
      const queue = queues.get(accountKey) ?? { until: -Infinity };
      queues.set(accountKey, queue);
      return createSendRateLimiter(
        limiter.bucketOf(accountKey, { perSecond, burst: Math.max(1, perSecond) }),
        { perSecond, queue, clock },
      );
    },
  };
}

function createSendRateLimiter(
  bucket: RateBucket,
  {
    perSecond,
    queue,
    clock,
  }: {
    readonly perSecond: number;
    readonly queue: { until: number };
    readonly clock: Pick<Clock, 'monotonicMs'>;
  },
): SendRateLimiter {
  const tokenMs = 1000 / perSecond;
  return {
    async take(wanted) {
      let taken = 0;
      while (taken < wanted && (await bucket.take())) taken += 1;
      return taken;
    },
    waitMs(wanted) {
      if (wanted * tokenMs > WAIT_IN_PLACE_MAX_MS) return null;
      return Math.min(TOKEN_WAIT_MAX_MS, Math.max(TOKEN_WAIT_MIN_MS, tokenMs));
    },
    queue(count) {
      const now = clock.monotonicMs();
      return Array.from({ length: count }, (_, index) => {
        const at = Math.max(now, queue.until) + tokenMs;
        // Spread rows beyond the end of the queue, so that they do not all come due at once.
        if (at - now > QUEUE_MAX_MS) return QUEUE_MAX_MS * (1 + (QUEUE_SPREAD * index) / count);
        queue.until = at;
        return at - now;
      });
    },
  };
}
