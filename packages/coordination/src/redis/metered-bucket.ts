import type { Rate } from '@tidings/contracts/limits';
import { withoutTrace } from '@tidings/platform';
import type { RateState } from '../rates/rate-limiter.ts';
import type { LeasedBucketContext } from './leased-bucket.ts';

/** Minimum interval between two reports of a bucket to Redis, */
const REPORT_EVERY_MS = 100;
/** unless this fraction of its tokens was spent since. */
const REPORT_SHARE = 0.05;
/** While Redis does not respond, one report per interval tries. */
const PROBE_MS = 1_000;

/**
 * A shared bucket that is charged after the fact, for amounts unknown in advance such as body
 * bytes. It never waits: it admits a caller while the bucket is not empty. Overspending becomes
 * debt, which refills first. So the rate holds over time; in the short run each process may exceed
 * it by its charges between two reports.
 */
export class MeteredBucket {
  readonly #name: string;
  readonly #context: LeasedBucketContext;
  #rate: Rate;
  /** Tokens as known to this process; below 0 is debt. */
  #level: number;
  #at: number;
  /** Below 0 if refunds exceed charges. */
  #unreported = 0;
  #reportedAt = -Infinity;
  #isReporting = false;

  constructor(name: string, rate: Rate, context: LeasedBucketContext) {
    this.#name = name;
    this.#rate = rate;
    this.#context = context;
    this.#level = rate.burst;
    this.#at = context.clock.monotonicMs();
  }

  /** The rate of a bucket in use may change. */
  setRate(rate: Rate): void {
    this.#rate = rate;
  }

  /** Whether the bucket is not empty. */
  hasTokens(): boolean {
    // The value only grows until the next charge.
    return this.#level > 0 || this.#refill(this.#context.clock.monotonicMs()) > 0;
  }

  /** Charges an amount, also beyond the available tokens. */
  charge(amount: number): void {
    if (amount > 0) this.#change(-amount);
  }

  /** Refunds a charge that was not spent. The bucket never exceeds its maximum. */
  refund(amount: number): void {
    if (amount > 0) this.#change(amount);
  }

  #change(by: number): void {
    const now = this.#context.clock.monotonicMs();
    const { burst } = this.#rate;
    this.#level = within(burst, this.#refill(now) + by);
    this.#unreported = within(burst, this.#unreported - by);
    if (now - this.#reportedAt >= REPORT_EVERY_MS || this.#hasMuchToReport())
      this.#startReport(now);
  }

  #hasMuchToReport(): boolean {
    return Math.abs(this.#unreported) >= REPORT_SHARE * this.#rate.burst;
  }

  #startReport(now: number): void {
    const { state } = this.#context;
    if (this.#isReporting) return;
    if (state.isAway) {
      if (now < state.probeAt) return;
      state.probeAt = now + PROBE_MS;
    }
    this.#isReporting = true;
    this.#reportedAt = now;
    void withoutTrace(() => this.#report());
  }

  shareAtLeast(): number {
    return this.#level / this.#rate.burst;
  }

  state(): RateState {
    const level = this.#refill(this.#context.clock.monotonicMs());
    const { perSecond, burst } = this.#granted();
    return {
      limit: this.#rate.burst,
      remaining: Math.max(0, Math.floor(level)),
      resetSeconds: Math.ceil(Math.max(0, burst - level) / perSecond),
      retryAfterSeconds: Math.max(1, Math.ceil(-level / perSecond)),
    };
  }

  /** The rate that this process grants: all of it, or its fraction while Redis does not respond. */
  #granted(): Rate {
    const { state, replicas } = this.#context;
    if (!state.isAway || replicas === 1) return this.#rate;
    return { perSecond: this.#rate.perSecond / replicas, burst: this.#rate.burst / replicas };
  }

  #refill(now: number): number {
    const { perSecond, burst } = this.#granted();
    this.#level = Math.min(burst, this.#level + (Math.max(0, now - this.#at) * perSecond) / 1000);
    this.#at = now;
    return this.#level;
  }

  /** Never rejects. */
  async #report(): Promise<void> {
    const { shared, clock, state } = this.#context;
    const spent = this.#unreported;
    this.#unreported = 0;
    try {
      const left = await shared.spend({ bucket: this.#name, rate: this.#rate, spent });
      state.setAway(false);
      // Requests were charged during the call.
      this.#level = within(this.#rate.burst, left - this.#unreported);
      this.#at = clock.monotonicMs();
    } catch (error) {
      this.#unreported = within(this.#rate.burst, this.#unreported + spent);
      state.setAway(true, error);
      state.probeAt = clock.monotonicMs() + PROBE_MS;
    } finally {
      this.#isReporting = false;
    }
    // A refund made meanwhile may be the only thing to report for a long time.
    if (this.#hasMuchToReport()) this.#startReport(clock.monotonicMs());
  }
}

/** From maximum debt to full. */
function within(burst: number, tokens: number): number {
  return Math.max(-burst, Math.min(burst, tokens));
}
