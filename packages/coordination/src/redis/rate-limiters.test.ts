import { describe, expect, test } from '@jest/globals';
import { createFakeClock, createRecordingLogger } from '@tidings/testing';
import fc from 'fast-check';
import { createModelBuckets } from '../testing/model-buckets.ts';
import type { RateBucket } from '../rates/rate-limiter.ts';
import { testRateLimiters } from '../rates/rate-limiters.conformance.ts';
import { createRedisRateLimiters, createSharedState } from './rate-limiters.ts';

const RATE = { perSecond: 1_000, burst: 2_000 };
const LEASE_MS = 1_000;
const PROBE_MS = 1_000;

function createSubject({
  gateways = 1,
  replicas,
}: { readonly gateways?: number; readonly replicas?: number } = {}) {
  const clock = createFakeClock();
  const model = createModelBuckets(clock);
  const { logger, lines } = createRecordingLogger();
  const limiters = Array.from({ length: gateways }, (_, index) =>
    createRedisRateLimiters({
      state: createSharedState(logger),
      shared: model.of(`g${index}`),
      clock,
      replicas: replicas ?? gateways,
    })('ingest'),
  );
  const bucketOf = (gateway = 0, rate = RATE): RateBucket => {
    const limiter = limiters[gateway];
    if (limiter === undefined) throw new Error('there is no such gateway');
    return limiter.bucketOf('app1', rate);
  };
  /** Takes the given number of times in sequence and counts the grants. */
  const take = async (times: number, gateway = 0, rate = RATE): Promise<number> => {
    let given = 0;
    for (let time = 0; time < times; time += 1)
      if (await bucketOf(gateway, rate).take()) given += 1;
    return given;
  };
  return { clock, model, bucketOf, take, limiters, lines };
}

testRateLimiters('leased from Redis', (clock) =>
  createRedisRateLimiters({
    state: createSharedState(createRecordingLogger().logger),
    shared: createModelBuckets(clock).of('g'),
    clock,
    replicas: 1,
  }),
);

describe('a rate', () => {
  test('is one for all gateways', async () => {
    const { clock, take } = createSubject({ gateways: 3 });

    const given = (await take(900, 0)) + (await take(900, 1)) + (await take(900, 2));

    // Unspent tokens of one holder are unavailable to the others until they expire.
    expect(given).toBeLessThanOrEqual(2_000);
    expect(given).toBeGreaterThan(1_800);
    clock.advance(60_000);
    expect(await take(2_500, 1)).toBe(2_000);
  });
});

describe('leases', () => {
  test('keep the shared bucket off the way of nearly every request', async () => {
    const { clock, model, bucketOf } = createSubject();
    let waited = 0;
    for (let ms = 0; ms < 5_000; ms += 1) {
      const given = bucketOf().take();
      if (given instanceof Promise) waited += 1;
      await given;
      clock.advance(1);
    }

    expect(waited).toBeLessThan(20);
    expect(model.calls).toBeLessThan(100);
  });

  test('that are not spent expire', async () => {
    const { clock, model, bucketOf, take } = createSubject();
    await take(200);
    const { calls } = model;
    expect(bucketOf().take()).toBe(true);

    clock.advance(LEASE_MS);

    expect(bucketOf().take()).toBeInstanceOf(Promise);
    expect(model.calls).toBe(calls + 1);
  });

  test('of a rate that is used up are not asked for by every request', async () => {
    const { clock, model, bucketOf, take } = createSubject();
    await take(2_001);
    const { calls } = model;

    for (let request = 0; request < 1_000; request += 1) expect(bucketOf().take()).toBe(false);
    clock.advance(19);

    expect(bucketOf().take()).toBe(false);
    expect(model.calls).toBe(calls);
  });

  test('are asked for once by all who wait', async () => {
    const { model, bucketOf } = createSubject();

    const given = await Promise.all(Array.from({ length: 500 }, async () => bucketOf().take()));

    expect(given.every((isGiven) => isGiven)).toBe(true);
    expect(model.calls).toBeLessThan(5);
  });
});

describe('while the shared buckets are unavailable', () => {
  test('each gateway has its share of the rate, never more', async () => {
    const { clock, model, take } = createSubject({ gateways: 1, replicas: 4 });
    model.fault = 'away';

    expect(await take(3_000)).toBe(500);
    clock.advance(1_000);
    expect(await take(3_000)).toBe(250);
  });

  test('one request waits to learn it, and none after it', async () => {
    const { clock, model, bucketOf } = createSubject();
    model.fault = 'away';
    const first = bucketOf().take();
    expect(first).toBeInstanceOf(Promise);
    await first;

    for (let ms = 0; ms < 10 * PROBE_MS; ms += 10) {
      expect(bucketOf().take()).toBe(true);
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(10);
    }

    expect(model.calls).toBeLessThanOrEqual(11);
  });

  test('no request waits for the first request of another application', async () => {
    const { model, take, limiters } = createSubject();
    model.fault = 'away';
    await take(1);

    expect(limiters[0]?.bucketOf('app2', RATE).take()).toBe(true);
  });

  test('what is left of the bucket is what is shared', async () => {
    const { model, take } = createSubject({ gateways: 1, replicas: 2 });
    await take(1_900);
    model.fault = 'away';

    expect(await take(1_000)).toBeLessThanOrEqual(100);
  });

  test('what was spent counts when they are back', async () => {
    const { clock, model, take } = createSubject();
    model.fault = 'away';
    expect(await take(1_500)).toBe(1_500);
    model.fault = 'none';
    clock.advance(PROBE_MS);

    // 1,000 tokens were refilled meanwhile; the take that detects Redis again still counts alone.
    expect(await take(1_600)).toBeLessThanOrEqual(1_500);
  });

  test('a bucket that was lost is full again, and no fuller', async () => {
    const { model, take } = createSubject();
    await take(2_000);
    model.clear();

    expect(await take(1)).toBe(0);
    model.clear();
    expect(await take(5_000)).toBeLessThanOrEqual(2_000);
  });
});

type Step = {
  readonly advanceMs: number;
  readonly gateway: number;
  readonly times: number;
  readonly fault: 'none' | 'away' | 'lost';
};

const steps = (faults: readonly Step['fault'][]) =>
  fc.array(
    fc.record<Step>({
      advanceMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1_500 })),
      gateway: fc.integer({ min: 0, max: 2 }),
      times: fc.integer({ min: 1, max: 40 }),
      fault: fc.constantFrom(...faults),
    }),
    { maxLength: 60 },
  );
const rates = fc.record({
  perSecond: fc.integer({ min: 1, max: 1_000 }),
  burst: fc.integer({ min: 1, max: 100 }),
});

/** Runs the steps. Returns by how many tokens any period between two steps exceeded the rate. */
async function mostAboveRate(
  rate: { readonly perSecond: number; readonly burst: number },
  all: readonly Step[],
): Promise<number> {
  const { clock, model, take } = createSubject({ gateways: 3 });
  const given: number[] = [];
  for (const { advanceMs, gateway, times, fault } of all) {
    clock.advance(advanceMs);
    model.fault = fault;
    const count = await take(times, gateway, rate);
    given.push(...Array<number>(count).fill(clock.monotonicMs()));
  }
  // Of all periods that end with a token, the worst starts where the count was furthest below the
  // rate.
  let [most, furthestBehind] = [-Infinity, Infinity];
  given.forEach((at, index) => {
    const ahead = index - (at * rate.perSecond) / 1000;
    furthestBehind = Math.min(furthestBehind, ahead);
    most = Math.max(most, ahead + 1 - furthestBehind);
  });
  return most;
}

test('reported values are whole numbers, never negative and never above the burst', async () => {
  await fc.assert(
    fc.asyncProperty(
      rates,
      steps(['none', 'away', 'lost']),
      fc.integer({ min: 1, max: 7 }),
      async (rate, all, replicas) => {
        const { clock, model, take, bucketOf } = createSubject({ gateways: 3, replicas });
        for (const { advanceMs, gateway, times, fault } of all) {
          clock.advance(advanceMs);
          model.fault = fault;
          await take(times, gateway, rate);
          const { limit, remaining, resetSeconds, retryAfterSeconds } = bucketOf(
            gateway,
            rate,
          ).state();
          expect(
            [limit, remaining, resetSeconds, retryAfterSeconds].every(
              (value) => Number.isInteger(value) && value >= 0,
            ),
          ).toBe(true);
          expect(remaining).toBeLessThanOrEqual(limit);
          expect(resetSeconds).toBeLessThanOrEqual(
            Math.ceil(rate.burst / rate.perSecond) + replicas,
          );
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('that rates are counted alone is logged when it begins and when it ends, not in between', async () => {
  const { clock, model, take, lines } = createSubject({ replicas: 3 });
  const messages = () => lines.map(({ level, msg }) => `${String(level)} ${String(msg)}`);
  model.fault = 'away';
  for (let second = 0; second < 5; second += 1) {
    await take(3);
    clock.advance(PROBE_MS);
  }
  expect(messages()).toEqual([
    'warn rates are counted without redis, each process grants its share',
  ]);

  model.fault = 'none';
  await take(3);
  clock.advance(PROBE_MS);
  await take(3);

  expect(messages().slice(1)).toEqual(['info rates are shared through redis again']);
});

describe('within any span of time, all gateways together give at most', () => {
  test('the burst and the refill', async () => {
    await fc.assert(
      fc.asyncProperty(rates, steps(['none']), async (rate, all) => {
        expect(await mostAboveRate(rate, all)).toBeLessThanOrEqual(rate.burst + 1e-6);
      }),
      { numRuns: 300 },
    );
  });

  test('the burst and the refill, also with lost responses', async () => {
    // One burst for the shared bucket, and one for the fractions that the processes grant without
    // Redis.
    await fc.assert(
      fc.asyncProperty(rates, steps(['none', 'none', 'away', 'lost']), async (rate, all) => {
        expect(await mostAboveRate(rate, all)).toBeLessThanOrEqual(
          2 * Math.max(rate.burst, 3) + 1e-6,
        );
      }),
      { numRuns: 300 },
    );
  });
});
