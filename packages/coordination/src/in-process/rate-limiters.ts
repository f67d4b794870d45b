import type { Rate } from '@tidings/contracts/limits';
import type { Clock } from '@tidings/platform';
import { LocalBucket } from '../rates/local-bucket.ts';
import type { RateBucket, RateLimiters, RateMeter, RateState } from '../rates/rate-limiter.ts';
import { rememberBuckets } from '../rates/remember-buckets.ts';
import { BucketStore, type StoredBucket } from './bucket-store.ts';

/**
 * Rates of one process: all its services take from the same buckets. Each call returns the limiters
 * of one service.
 */
export function createInProcessRates(
  clock: Clock,
  limits?: { readonly bucketsMax: number },
): () => RateLimiters {
  const stores = new Map<string, BucketStore>();
  const storeOf = (kind: string): BucketStore => {
    let store = stores.get(kind);
    if (store === undefined) stores.set(kind, (store = new BucketStore(limits)));
    return store;
  };
  return () => (kind) => {
    const store = storeOf(kind);
    return {
      bucketOf: (owner, rate) =>
        new InProcessBucket(new BucketHolder({ store, owner, rate, clock })),
      meterOf: (owner, rate) => new InProcessMeter(new BucketHolder({ store, owner, rate, clock })),
      localOf: rememberBuckets((_owner, rate) => new LocalBucket(rate, clock)),
    };
  };
}

class InProcessBucket implements RateBucket {
  readonly #holder: BucketHolder;

  constructor(holder: BucketHolder) {
    this.#holder = holder;
  }

  take(): boolean {
    return this.#holder.take();
  }

  refund(): void {
    this.#holder.add(1);
  }

  shareAtLeast(): number {
    return this.#holder.shareAtLeast();
  }

  state(): RateState {
    return this.#holder.state({ neededTokens: 1 });
  }
}

class InProcessMeter implements RateMeter {
  readonly #holder: BucketHolder;

  constructor(holder: BucketHolder) {
    this.#holder = holder;
  }

  hasTokens(): boolean {
    return this.#holder.level() > 0;
  }

  charge(amount: number): void {
    if (amount > 0) this.#holder.add(-amount);
  }

  refund(amount: number): void {
    if (amount > 0) this.#holder.add(amount);
  }

  shareAtLeast(): number {
    return this.#holder.shareAtLeast();
  }

  state(): RateState {
    return this.#holder.state({ neededTokens: 0 });
  }
}

type HolderOptions = {
  readonly store: BucketStore;
  readonly owner: string;
  readonly rate: Rate;
  readonly clock: Clock;
};

/** One user of a stored bucket. It may outlive the bucket in the store, with its API key. */
class BucketHolder {
  readonly #store: BucketStore;
  readonly #owner: string;
  readonly #rate: Rate;
  readonly #clock: Clock;
  #bucket: StoredBucket | undefined;

  constructor({ store, owner, rate, clock }: HolderOptions) {
    this.#store = store;
    this.#owner = owner;
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Tokens with fractions, from maximum debt to full. */
  level(): number {
    return this.#refilled().tokens;
  }

  take(): boolean {
    const bucket = this.#refilled();
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  add(tokens: number): void {
    const bucket = this.#refilled();
    const { burst } = this.#rate;
    bucket.tokens = Math.max(-burst, Math.min(burst, bucket.tokens + tokens));
  }

  shareAtLeast(): number {
    return this.#stored(this.#clock.monotonicMs()).tokens / this.#rate.burst;
  }

  state({ neededTokens }: { readonly neededTokens: number }): RateState {
    const { perSecond, burst } = this.#rate;
    const level = this.level();
    return {
      limit: burst,
      remaining: Math.max(0, Math.floor(level)),
      resetSeconds: Math.ceil((burst - level) / perSecond),
      retryAfterSeconds: Math.max(1, Math.ceil((neededTokens - level) / perSecond)),
    };
  }

  #refilled(): StoredBucket {
    const now = this.#clock.monotonicMs();
    const bucket = this.#stored(now);
    const { perSecond, burst } = this.#rate;
    const refill = (Math.max(0, now - bucket.at) * perSecond) / 1000;
    bucket.tokens = Math.min(burst, bucket.tokens + refill);
    bucket.at = now;
    bucket.rate = this.#rate;
    return bucket;
  }

  #stored(now: number): StoredBucket {
    if (this.#bucket === undefined || this.#bucket.isForgotten)
      this.#bucket = this.#store.of(this.#owner, this.#rate, now);
    return this.#bucket;
  }
}
