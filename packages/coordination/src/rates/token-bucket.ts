import type { Rate } from '@tidings/contracts/limits';

/** A token bucket in memory. Times are monotonic milliseconds. */
export class TokenBucket {
  readonly rate: Rate;
  #tokens: number;
  #at: number;

  constructor(rate: Rate, { tokens, now }: { readonly tokens: number; readonly now: number }) {
    this.rate = rate;
    this.#tokens = Math.min(rate.burst, tokens);
    this.#at = now;
  }

  /** False without a token. */
  take(now: number): boolean {
    const level = this.level(now);
    if (level < 1) return false;
    this.#tokens = level - 1;
    this.#at = now;
    return true;
  }

  refund(now: number): void {
    this.#tokens = Math.min(this.rate.burst, this.level(now) + 1);
    this.#at = now;
  }

  /** Tokens left after the last change. */
  levelAtLeast(): number {
    return this.#tokens;
  }

  /** Tokens, including fractions. */
  level(now: number): number {
    return Math.min(
      this.rate.burst,
      this.#tokens + (Math.max(0, now - this.#at) * this.rate.perSecond) / 1000,
    );
  }
}
