import type { Rate } from '@tidings/contracts/limits';
import type { Clock } from '@tidings/platform';
import type { RateState } from './rate-limiter.ts';
import { TokenBucket } from './token-bucket.ts';

/** A bucket of one service only: for owners too numerous to share. */
export class LocalBucket {
  readonly #clock: Clock;
  #tokens: TokenBucket;

  constructor(rate: Rate, clock: Clock) {
    this.#clock = clock;
    this.#tokens = new TokenBucket(rate, { tokens: rate.burst, now: clock.monotonicMs() });
  }

  /** The rate of a bucket in use may change. */
  setRate(rate: Rate): void {
    const known = this.#tokens.rate;
    if (rate.perSecond === known.perSecond && rate.burst === known.burst) return;
    const now = this.#clock.monotonicMs();
    this.#tokens = new TokenBucket(rate, { tokens: this.#tokens.level(now), now });
  }

  take(): boolean {
    return this.#tokens.take(this.#clock.monotonicMs());
  }

  shareAtLeast(): number {
    return this.#tokens.levelAtLeast() / this.#tokens.rate.burst;
  }

  state(): RateState {
    const { perSecond, burst } = this.#tokens.rate;
    const level = this.#tokens.level(this.#clock.monotonicMs());
    return {
      limit: burst,
      remaining: Math.floor(level),
      resetSeconds: Math.ceil((burst - level) / perSecond),
      retryAfterSeconds: Math.max(1, Math.ceil((1 - level) / perSecond)),
    };
  }
}
