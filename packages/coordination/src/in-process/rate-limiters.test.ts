import { describe, expect, test } from '@jest/globals';
import type { Rate } from '@tidings/contracts/limits';
import { createFakeClock } from '@tidings/testing';
import fc from 'fast-check';
import { testRateLimiters } from '../rates/rate-limiters.conformance.ts';
import { TokenBucket } from '../rates/token-bucket.ts';
import { createInProcessRates } from './rate-limiters.ts';

testRateLimiters('in the process', (clock) => createInProcessRates(clock)());

const KINDS = ['ingest', 'push', 'sdk'] as const;
/** Of each kind; many more than the stores of a test hold. */
const OWNERS = 12;

type Step = {
  readonly advanceMs: number;
  readonly service: 0 | 1;
  readonly kind: (typeof KINDS)[number];
  readonly owner: number;
  readonly times: number;
  /** Whether the service has the bucket from an earlier step, as with a cached API key. */
  readonly isCached: boolean;
};

const steps = fc.array(
  fc.record<Step>({
    advanceMs: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: 250 }).map((time) => 8 * time),
    ),
    service: fc.constantFrom(0, 1),
    kind: fc.constantFrom(...KINDS),
    owner: fc.integer({ min: 0, max: OWNERS - 1 }),
    times: fc.integer({ min: 1, max: 40 }),
    isCached: fc.boolean(),
  }),
  { maxLength: 200 },
);
/** Of each kind. 8 ms refill a fraction that a binary number holds exactly. */
const ratesOf = fc.record(
  Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      fc.record({
        perSecond: fc.constantFrom(125 / 64, 125 / 8, 125, 250, 1_000),
        burst: fc.integer({ min: 1, max: 30 }),
      }),
    ]),
  ),
) as fc.Arbitrary<Readonly<Record<(typeof KINDS)[number], Rate>>>;

type Grants = Map<string, { readonly rate: Rate; readonly at: number[] }>;

/** Runs the steps with two services. Returns when each bucket granted its tokens. */
function run(
  all: readonly Step[],
  rates: Readonly<Record<(typeof KINDS)[number], Rate>>,
  limits?: { readonly bucketsMax: number },
): Grants {
  const clock = createFakeClock();
  const createLimiters = createInProcessRates(clock, limits);
  const services = [createLimiters(), createLimiters()] as const;
  const cached = new Map<string, { take(): boolean | Promise<boolean> }>();
  const grants: Grants = new Map();
  for (const { advanceMs, service, kind, owner, times, isCached } of all) {
    clock.advance(advanceMs);
    const rate = rates[kind];
    const name = `${kind}:${owner}`;
    const known = isCached ? cached.get(`${service}:${name}`) : undefined;
    const bucket = known ?? services[service](kind).bucketOf(String(owner), rate);
    cached.set(`${service}:${name}`, bucket);
    const granted = grants.get(name) ?? { rate, at: [] };
    grants.set(name, granted);
    for (let time = 0; time < times; time += 1)
      if (bucket.take() === true) granted.at.push(clock.monotonicMs());
  }
  return grants;
}

/** The most tokens that any span of time got beyond its refill. */
function mostAboveRate({ rate, at: times }: { readonly rate: Rate; readonly at: number[] }) {
  let [most, furthestBehind] = [0, Infinity];
  times.forEach((at, index) => {
    const ahead = index - (at * rate.perSecond) / 1000;
    furthestBehind = Math.min(furthestBehind, ahead);
    most = Math.max(most, ahead + 1 - furthestBehind);
  });
  return most;
}

describe('the services of one process', () => {
  test.each([undefined, { bucketsMax: 3 }, { bucketsMax: 1 }])(
    'never get more than burst + rate × time of any bucket, with a store of %p',
    (limits) => {
      fc.assert(
        fc.property(steps, ratesOf, (all, rates) => {
          for (const grants of run(all, rates, limits).values())
            expect(mostAboveRate(grants)).toBeLessThanOrEqual(grants.rate.burst + 1e-6);
        }),
        { numRuns: 300 },
      );
    },
  );

  test('get every token of every bucket, which full buckets that were forgotten do not change', () => {
    fc.assert(
      fc.property(steps, ratesOf, (all, rates) => {
        const grants = run(all, rates);

        const expected: Grants = new Map();
        const buckets = new Map<string, TokenBucket>();
        let now = 0;
        for (const { advanceMs, kind, owner, times } of all) {
          now += advanceMs;
          const rate = rates[kind];
          const name = `${kind}:${owner}`;
          const bucket = buckets.get(name) ?? new TokenBucket(rate, { tokens: rate.burst, now });
          buckets.set(name, bucket);
          const granted = expected.get(name) ?? { rate, at: [] };
          expected.set(name, granted);
          for (let time = 0; time < times; time += 1) if (bucket.take(now)) granted.at.push(now);
        }
        expect(grants).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  test('share a byte rate too', () => {
    const createLimiters = createInProcessRates(createFakeClock());
    const rate = { perSecond: 1, burst: 100 };
    const [one, other] = [createLimiters(), createLimiters()].map((limiterOf) =>
      limiterOf('bytes').meterOf('app', rate),
    );

    one?.charge(150);

    expect(other?.hasTokens()).toBe(false);
    expect(other?.state().remaining).toBe(0);
  });

  test('count address blocks separately', () => {
    const createLimiters = createInProcessRates(createFakeClock());
    const rate = { perSecond: 1, burst: 1 };
    const blocks = [createLimiters(), createLimiters()].map((limiterOf) =>
      limiterOf('address').localOf('app:10.0.0.0', rate),
    );

    expect(blocks.map((block) => [block.take(), block.take()])).toEqual([
      [true, false],
      [true, false],
    ]);
  });
});
