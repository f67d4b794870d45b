import type { Rate } from '@tidings/contracts';
import { withoutTrace } from '@tidings/platform';
import type { LeasedBucketContext, RateState } from './leased-bucket.ts';

/** Minimum interval between two reports of one bucket to Redis, */
const REPORT_EVERY_MS = 100;
/** unless this part of its tokens was spent since. */
const REPORT_SHARE = 0.05;
/** While Redis does not answer, one report in this time tries. */
const PROBE_MS = 1_000;

/**
 * A shared bucket whose tokens are charged after they were spent, for amounts that are not known in advance, as the
 * bytes of a body. It never waits: it lets a caller in while the bucket is not empty, and what was spent beyond that is
 * debt, which the rate pays back first. So the rate holds over time; in the short run each process may exceed it by what it
 * charges between two reports.
 */
export class MeteredBucket {
  readonly #name: string;
  readonly #context: LeasedBucketContext;
  #rate: Rate;
  /** Tokens as this process knows them; below 0 is debt. */
  #level: number;
  #at: number;
  /** Below 0 where more was given back than charged. */
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

  /** The operator may change the rate of a bucket that is in use. */
  setRate(rate: Rate): void {
    this.#rate = rate;
  }

  /** Whether the bucket is not empty. */
  hasTokens(): boolean {
    // It only grows until the next charge.
    return this.#level > 0 || this.#refill(this.#context.clock.monotonicMs()) > 0;
  }

  /** Counts what was spent, also beyond what is there. */
  charge(amount: number): void {
    if (amount > 0) this.#change(-amount);
  }

  /** Returns what was charged and not spent after all; the bucket never holds more than when it is full. */
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

  /** The rate that this process grants: all of it, or its share while Redis does not answer. */
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
      // Requests were charged while Redis was asked.
      this.#level = within(this.#rate.burst, left - this.#unreported);
      this.#at = clock.monotonicMs();
    } catch (error) {
      this.#unreported = within(this.#rate.burst, this.#unreported + spent);
      state.setAway(true, error);
      state.probeAt = clock.monotonicMs() + PROBE_MS;
    } finally {
      this.#isReporting = false;
    }
    // What was given back meanwhile may be all there is to report for a long time.
    if (this.#hasMuchToReport()) this.#startReport(clock.monotonicMs());
  }
}

/** From as much debt as the bucket holds to full. */
function within(burst: number, tokens: number): number {
  return Math.max(-burst, Math.min(burst, tokens));
}
