import type { Rate } from '@tidings/contracts/limits';
import { withoutTrace, type Clock } from '@tidings/platform';
import type { RateState } from '../rates/rate-limiter.ts';
import { TokenBucket } from '../rates/token-bucket.ts';
import { LEASE_MS, type Lease, type SharedBuckets } from './shared-buckets.ts';

/** State shared by all buckets of a process: whether the shared buckets respond. */
export type SharedState = {
  isAway: boolean;
  probeAt: number;
  setAway(isAway: boolean, cause?: unknown): void;
};

export type LeasedBucketContext = {
  readonly shared: SharedBuckets;
  readonly clock: Clock;
  readonly state: SharedState;
  /** Processes that may share a rate while Redis is unavailable. */
  readonly replicas: number;
};

/** Target duration of a lease; its size follows the spending rate. */
const LEASE_SPAN_MS = 100;
/**
 * Leases of this size or more are renewed before the last token is spent. A smaller one might not
 * be spent.
 */
const EARLY_SIZE_MIN = 8;
/**
 * Minimum time between requests for an empty bucket, so a caller far above its rate costs no more
 * than one below.
 */
const EMPTY_MS_MIN = 20;
const EMPTY_MS_MAX = 1_000;
/** While Redis does not respond, one lease per interval tries, and no request waits for it. */
const PROBE_MS = 1_000;

/**
 * One bucket in one process. Leases a few tokens at a time from the shared bucket and spends them
 * locally. While the shared bucket is unavailable, the process grants its fraction of the rate and
 * later reports the spent tokens as debt.
 */
export class LeasedBucket {
  readonly #name: string;
  readonly #context: LeasedBucketContext;
  #rate: Rate;
  #tokens = 0;
  #expiresAt = -Infinity;
  #size = 1;
  #askedAt = -Infinity;
  #left: number;
  #leftAt: number;
  #emptyUntil = -Infinity;
  #waiting = 0;
  #asking: Promise<void> | null = null;
  #alone: TokenBucket | null = null;
  #debt = 0;

  constructor(name: string, rate: Rate, context: LeasedBucketContext) {
    this.#name = name;
    this.#rate = rate;
    this.#context = context;
    this.#left = rate.burst;
    this.#leftAt = context.clock.monotonicMs();
  }

  /** The rate of a bucket in use may change. */
  setRate(rate: Rate): void {
    if (rate.perSecond === this.#rate.perSecond && rate.burst === this.#rate.burst) return;
    this.#rate = rate;
    this.#emptyUntil = -Infinity;
    this.#alone = null;
  }

  /**
   * Takes a token. Synchronous if one is available locally or none can be; otherwise it waits for
   * the shared bucket.
   */
  take(): boolean | Promise<boolean> {
    const now = this.#context.clock.monotonicMs();
    if (this.#spend(now)) {
      if (
        this.#size >= EARLY_SIZE_MIN &&
        this.#tokens * 4 < this.#size &&
        now >= this.#emptyUntil &&
        !this.#context.state.isAway
      )
        void this.#ask();
      return true;
    }
    if (this.#context.state.isAway) return this.#takeAlone(now);
    return now < this.#emptyUntil ? false : this.#takeShared();
  }

  /**
   * Refunds the token of a request that does not count. After the lease has ended, the token is
   * lost.
   */
  refund(): void {
    const now = this.#context.clock.monotonicMs();
    if (this.#context.state.isAway) this.#alone?.refund(now);
    else if (now < this.#expiresAt) this.#tokens += 1;
  }

  /** No cheaper estimate exists than the state itself. */
  shareAtLeast(): number {
    return 0;
  }

  state(): RateState {
    const now = this.#context.clock.monotonicMs();
    const known = this.#context.state.isAway ? this.#alone : null;
    const { perSecond, burst } = known?.rate ?? this.#rate;
    const level = known?.level(now) ?? this.#level(now);
    const untilTokenMs = Math.max(this.#emptyUntil - now, ((1 - level) / perSecond) * 1000);
    return {
      limit: this.#rate.burst,
      remaining: Math.floor(level),
      resetSeconds: Math.ceil((burst - level) / perSecond),
      retryAfterSeconds: Math.max(1, Math.ceil(untilTokenMs / 1000)),
    };
  }

  #spend(now: number): boolean {
    if (this.#tokens === 0) return false;
    if (now >= this.#expiresAt) this.#tokens = 0;
    if (this.#tokens === 0) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Local tokens plus the expected tokens of the shared bucket. */
  #level(now: number): number {
    const here = now < this.#expiresAt ? this.#tokens : 0;
    if (here === 0 && now < this.#emptyUntil) return 0;
    return Math.min(
      this.#rate.burst,
      here + this.#left + ((now - this.#leftAt) * this.#rate.perSecond) / 1000,
    );
  }

  #takeAlone(now: number): boolean {
    const { state, replicas } = this.#context;
    if (now >= state.probeAt) {
      state.probeAt = now + PROBE_MS;
      void this.#ask();
    }
    if (this.#alone === null) {
      const share = {
        perSecond: this.#rate.perSecond / replicas,
        burst: Math.max(1, this.#rate.burst / replicas),
      };
      this.#alone = new TokenBucket(share, { tokens: this.#level(now) / replicas, now });
    }
    return this.#alone.take(now);
  }

  async #takeShared(): Promise<boolean> {
    this.#waiting += 1;
    try {
      for (;;) {
        await this.#ask();
        const now = this.#context.clock.monotonicMs();
        if (this.#spend(now)) return true;
        if (this.#context.state.isAway) return this.#takeAlone(now);
        if (now < this.#emptyUntil) return false;
      }
    } finally {
      this.#waiting -= 1;
    }
  }

  /** One call at a time; all waiting callers share its result. Never rejects. */
  #ask(): Promise<void> {
    this.#asking ??= withoutTrace(() =>
      this.#lease().finally(() => {
        this.#asking = null;
      }),
    );
    return this.#asking;
  }

  async #lease(): Promise<void> {
    const { shared, clock, state } = this.#context;
    const askedAt = clock.monotonicMs();
    const debt = this.#debt + this.#missingAlone(askedAt);
    this.#resize(askedAt);
    const wanted = Math.min(this.#rate.burst, Math.max(this.#size, this.#waiting));
    const request = {
      bucket: this.#name,
      rate: this.#rate,
      wanted,
      waiting: this.#waiting,
      unspent: askedAt < this.#expiresAt ? this.#tokens : 0,
      debt,
    };
    try {
      this.#keep(await shared.lease(request), { wanted, askedAt });
      state.setAway(false);
      // Requests continued during the call.
      this.#debt = Math.max(0, this.#missingAlone(clock.monotonicMs()) - debt);
      this.#alone = null;
    } catch (error) {
      state.setAway(true, error);
      state.probeAt = clock.monotonicMs() + PROBE_MS;
    }
  }

  #missingAlone(now: number): number {
    return this.#alone === null ? 0 : Math.ceil(this.#alone.rate.burst - this.#alone.level(now));
  }

  #keep(
    { granted, left, nextInMs }: Lease,
    { wanted, askedAt }: { readonly wanted: number; readonly askedAt: number },
  ): void {
    const now = this.#context.clock.monotonicMs();
    this.#tokens = (now < this.#expiresAt ? this.#tokens : 0) + granted;
    this.#expiresAt = askedAt + LEASE_MS;
    this.#left = left;
    this.#leftAt = now;
    if (granted < wanted)
      this.#emptyUntil = now + Math.min(EMPTY_MS_MAX, Math.max(EMPTY_MS_MIN, nextInMs));
  }

  /**
   * Doubles when the last lease was spent early, halves when it lasted long; at most a tenth of a
   * second's tokens.
   */
  #resize(now: number): void {
    const sinceMs = now - this.#askedAt;
    this.#askedAt = now;
    const sizeMax = Math.max(1, Math.floor((this.#rate.perSecond * LEASE_SPAN_MS) / 1000));
    if (sinceMs < LEASE_SPAN_MS) this.#size *= 2;
    else if (sinceMs > 2 * LEASE_SPAN_MS) this.#size = Math.floor(this.#size / 2);
    this.#size = Math.max(1, Math.min(this.#size, sizeMax));
  }
}
