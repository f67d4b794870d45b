import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { TokenBucket } from './token-bucket.ts';

describe('a token bucket', () => {
  test('grants its burst at once, then the refill', () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 3 }, { tokens: 3, now: 0 });

    expect([1, 2, 3, 4].map(() => bucket.take(0))).toEqual([true, true, true, false]);
    expect([bucket.take(99), bucket.take(100), bucket.take(100)]).toEqual([false, true, false]);
  });

  test('holds at most its burst after any idle time', () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 3 }, { tokens: 100, now: 0 });

    expect(bucket.level(0)).toBe(3);
    expect(bucket.level(1e9)).toBe(3);
  });

  test('gives nothing for a time that runs backwards', () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 3 }, { tokens: 0, now: 1_000 });

    expect(bucket.level(0)).toBe(0);
  });

  test('grants at most its burst plus the refill within any period', () => {
    fc.assert(
      fc.property(
        fc.record({
          perSecond: fc.integer({ min: 1, max: 2_000 }),
          burst: fc.integer({ min: 1, max: 50 }),
        }),
        fc.array(fc.oneof(fc.integer({ min: 0, max: 500 }), fc.constant(0)), { maxLength: 200 }),
        (rate, pausesMs) => {
          const bucket = new TokenBucket(rate, { tokens: rate.burst, now: 0 });
          const taken: number[] = [];
          let now = 0;
          for (const pauseMs of pausesMs) {
            now += pauseMs;
            if (bucket.take(now)) taken.push(now);
          }
          taken.forEach((from, first) => {
            taken
              .slice(first)
              .forEach((to, more) =>
                expect(more + 1).toBeLessThanOrEqual(
                  rate.burst + ((to - from) * rate.perSecond) / 1000 + 1e-6,
                ),
              );
          });
        },
      ),
    );
  });
});
