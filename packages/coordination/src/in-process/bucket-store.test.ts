import { expect, test } from '@jest/globals';
import { BucketStore } from './bucket-store.ts';

const RATE = { perSecond: 10, burst: 10 };
const FULL_AFTER_MS = 1_000;

/** Empties the bucket of an owner. */
function empty(store: BucketStore, owner: string, now: number): void {
  const bucket = store.of(owner, RATE, now);
  bucket.tokens = 0;
  bucket.at = now;
}

test('buckets that are full again are forgotten, and only those', () => {
  const store = new BucketStore();
  for (let owner = 0; owner < 1_000; owner += 1) empty(store, `old ${owner}`, 0);
  empty(store, 'in use', FULL_AFTER_MS - 1);

  for (let owner = 0; owner < 1_000; owner += 1) empty(store, `new ${owner}`, FULL_AFTER_MS);

  expect(store.size).toBe(1_001);
  expect(store.of('in use', RATE, FULL_AFTER_MS).tokens).toBe(0);
});

test('a flow of owners keeps a small store', () => {
  const store = new BucketStore();
  let largest = 0;

  // Ten are not full at a time.
  for (let now = 0; now < 100 * FULL_AFTER_MS; now += FULL_AFTER_MS / 10) {
    empty(store, `owner ${now}`, now);
    largest = Math.max(largest, store.size);
  }

  expect(largest).toBeLessThanOrEqual(20);
});

test('a holder of a forgotten bucket learns it', () => {
  const store = new BucketStore();
  const bucket = store.of('first', RATE, 0);

  store.of('second', RATE, 1);

  expect(bucket.isForgotten).toBe(true);
  expect(store.of('first', RATE, 1)).not.toBe(bucket);
});

test('a store without room forgets what is full soonest, and gives its unknown owners no more', () => {
  const store = new BucketStore({ bucketsMax: 3 });
  for (const owner of ['a', 'b', 'c']) empty(store, owner, 0);
  store.of('b', RATE, 0).tokens = 7;

  const newcomer = store.of('d', RATE, 100);

  expect(store.size).toBe(3);
  // As `b`, which would have 7 + 1 by now.
  expect(newcomer.tokens).toBeCloseTo(8);
  expect(store.of('a', RATE, 100).tokens).toBe(0);
  expect(store.of('c', RATE, 100).tokens).toBe(0);
});

test('owners with another rate are not affected', () => {
  const store = new BucketStore({ bucketsMax: 1 });
  const slow = { perSecond: 0.001, burst: 10 };
  store.of('slow', slow, 0).tokens = 0;

  expect(store.of('usual', RATE, 0).tokens).toBe(RATE.burst);
  expect(store.of('also slow', slow, 0).tokens).toBeLessThanOrEqual(0);
});

test('what was forgotten too early counts no longer than until it would be full', () => {
  const store = new BucketStore({ bucketsMax: 1 });
  empty(store, 'a', 0);
  expect(store.of('b', RATE, 0).tokens).toBe(0);

  expect(store.of('c', RATE, FULL_AFTER_MS).tokens).toBe(RATE.burst);
});
