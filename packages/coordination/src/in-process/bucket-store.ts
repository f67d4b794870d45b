import type { Rate } from '@tidings/contracts/limits';

/** The state of one bucket. Times are monotonic milliseconds. */
export type StoredBucket = {
  /** Tokens at the time `at`; below 0 is debt. */
  tokens: number;
  at: number;
  /** The rate of the last change. */
  rate: Rate;
  /** A holder of a forgotten bucket must look for it again: another may have been stored. */
  isForgotten: boolean;
};

/** Buckets of one kind in memory: about 4 MB. */
const BUCKETS_MAX = 20_000;
/** The oldest buckets that a new one examines. More than one, so that the store shrinks too. */
const EXAMINED = 4;

/**
 * The buckets of one kind of request, by owner. Nothing else remembers them, so a bucket is
 * forgotten only when it is full again, as it would start.
 *
 * A store that holds its maximum of buckets that are not full forgets one of those that are full
 * soonest, and remembers when that is. Until then each unknown owner with this rate starts with
 * what the forgotten bucket has. So no owner gets more than burst + rate × time; some get less.
 */
export class BucketStore {
  readonly #bucketsMax: number;
  /** By the time of the last examination. */
  readonly #buckets = new Map<string, StoredBucket>();
  /** When all forgotten buckets of a rate are full. By rate, so that a slow one delays no other. */
  readonly #fullAt = new Map<string, number>();

  constructor({ bucketsMax }: { readonly bucketsMax: number } = { bucketsMax: BUCKETS_MAX }) {
    this.#bucketsMax = bucketsMax;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** The bucket of an owner, as it was changed last. */
  of(owner: string, rate: Rate, now: number): StoredBucket {
    const known = this.#buckets.get(owner);
    if (known !== undefined) return known;
    this.#forgetFull(now);
    const missingMs = Math.max(0, (this.#fullAt.get(keyOf(rate)) ?? now) - now);
    const missing = (missingMs * rate.perSecond) / 1000;
    const bucket = {
      tokens: Math.max(-rate.burst, rate.burst - missing),
      at: now,
      rate,
      isForgotten: false,
    };
    this.#buckets.set(owner, bucket);
    return bucket;
  }

  #forgetFull(now: number): void {
    let nextFull: readonly [owner: string, bucket: StoredBucket] | undefined;
    let examined = 0;
    for (const entry of this.#buckets) {
      if ((examined += 1) > EXAMINED) break;
      const [owner, bucket] = entry;
      if (fullAt(bucket) <= now) {
        this.#forget(owner, bucket);
        continue;
      }
      if (nextFull === undefined || fullAt(bucket) < fullAt(nextFull[1])) nextFull = entry;
      this.#buckets.delete(owner);
      this.#buckets.set(owner, bucket);
    }
    if (this.#buckets.size < this.#bucketsMax || nextFull === undefined) return;
    this.#forget(...nextFull);
    this.#remember(nextFull[1], now);
  }

  #remember(forgotten: StoredBucket, now: number): void {
    for (const [rate, at] of this.#fullAt) if (at <= now) this.#fullAt.delete(rate);
    const rate = keyOf(forgotten.rate);
    this.#fullAt.set(rate, Math.max(this.#fullAt.get(rate) ?? now, fullAt(forgotten)));
  }

  #forget(owner: string, bucket: StoredBucket): void {
    bucket.isForgotten = true;
    this.#buckets.delete(owner);
  }
}

function fullAt({ tokens, at, rate }: StoredBucket): number {
  return at + ((rate.burst - tokens) / rate.perSecond) * 1000;
}

function keyOf({ perSecond, burst }: Rate): string {
  return `${perSecond}/${burst}`;
}
