import type { Rate } from '@tidings/contracts/limits';
import { LRUCache } from 'lru-cache';

const BUCKETS_MAX = 10_000;

/**
 * Keeps the bucket of each owner while it is used. Only for buckets that may be forgotten at any
 * time.
 */
export function rememberBuckets<Bucket extends { setRate(rate: Rate): void }>(
  create: (owner: string, rate: Rate) => Bucket,
): (owner: string, rate: Rate) => Bucket {
  let buckets: LRUCache<string, Bucket> | undefined;
  return (owner, rate) => {
    // Created on first use: most kinds use one sort of bucket, and each cache reserves its memory
    // at once.
    buckets ??= new LRUCache<string, Bucket>({ max: BUCKETS_MAX });
    const known = buckets.get(owner);
    if (known !== undefined) {
      known.setRate(rate);
      return known;
    }
    const bucket = create(owner, rate);
    buckets.set(owner, bucket);
    return bucket;
  };
}
