import type { Clock } from '@tidings/platform';
import type { RateBucket, RateLimiter } from '@tidings/redis';
import { LRUCache } from 'lru-cache';

/** All that is left of a claim is waited for where it is when it gets its tokens so soon; else it is given back. */
const WAIT_IN_PLACE_MAX_MS = 2_000;
const TOKEN_WAIT_MIN_MS = 20;
const TOKEN_WAIT_MAX_MS = 500;
/** How far ahead rows are given a time; the others are looked at then. A row in a long queue is touched that often. */
const QUEUE_MAX_MS = 10 * 60_000;
const QUEUE_SPREAD = 0.1;
const QUEUES_MAX = 10_000;

/** How fast one application may send on the channel. */
export interface SendRateLimiter {
  /** Takes up to so many tokens, as many as there are. */
  take(wanted: number): Promise<number>;
  /** After how long it is worth asking for so many again; null when they are to be given back meanwhile. */
  waitMs(wanted: number): number | null;
  /** Milliseconds from now for each of so many that get no token: their places in the queue, one after another. */
  queue(count: number): number[];
}

export interface SendRateLimiters {
  /** Null where nothing limits it. */
  of(applicationId: string, settings: Readonly<Record<string, unknown>>): SendRateLimiter | null;
}

type RateLimiterTools = {
  readonly limiter: RateLimiter;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Of applications that set none; 0 is no limit. */ readonly perSecond: number;
};

export function createSendRateLimiters({
  limiter,
  clock,
  perSecond: usual,
}: RateLimiterTools): SendRateLimiters {
  /** Up to when the places of an application's queue are given away, in this process. */
  const queues = new LRUCache<string, { until: number }>({ max: QUEUES_MAX });
  return {
    of(applicationId, settings) {
      const own = settings['ratePerSecond'];
      const perSecond = typeof own === 'number' && own > 0 ? own : usual;
      if (perSecond === 0) return null;
      const queue = queues.get(applicationId) ?? { until: -Infinity };
      queues.set(applicationId, queue);
      return createSendRateLimiter(
        limiter.bucketOf(applicationId, { perSecond, burst: Math.max(1, perSecond) }),
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
        // So that those behind the end of the queue do not all come at once.
        if (at - now > QUEUE_MAX_MS) return QUEUE_MAX_MS * (1 + (QUEUE_SPREAD * index) / count);
        queue.until = at;
        return at - now;
      });
    },
  };
}
