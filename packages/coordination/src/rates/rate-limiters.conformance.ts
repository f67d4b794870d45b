import { describe, expect, test } from '@jest/globals';
import type { Rate } from '@tidings/contracts/limits';
import { createFakeClock } from '@tidings/testing';
import type { Clock } from '@tidings/platform';
import type { RateLimiters } from './rate-limiter.ts';

const RATE = { perSecond: 1_000, burst: 2_000 };

/** The guarantees of all rate limiters, for the only process. */
export function testRateLimiters(name: string, create: (clock: Clock) => RateLimiters): void {
  function createSubject() {
    const clock = createFakeClock();
    const limiterOf = create(clock);
    const bucketOf = (rate = RATE, { kind = 'ingest', owner = 'app1' } = {}) =>
      limiterOf(kind).bucketOf(owner, rate);
    /** Takes the given number of times in sequence and counts the grants. */
    const take = async (
      times: number,
      rate: Rate = RATE,
      of?: { readonly kind?: string; readonly owner?: string },
    ): Promise<number> => {
      let given = 0;
      for (let time = 0; time < times; time += 1) if (await bucketOf(rate, of).take()) given += 1;
      return given;
    };
    return { clock, bucketOf, take, meter: limiterOf('bytes').meterOf('app1', RATE) };
  }

  describe(`a rate ${name}`, () => {
    test('grants its burst at once, then the refill', async () => {
      const { clock, take } = createSubject();

      expect(await take(2_500)).toBe(2_000);
      clock.advance(500);
      expect(await take(1_000)).toBe(500);
      clock.advance(60_000);
      expect(await take(2_500)).toBe(2_000);
    });

    test.each([
      [1, 1],
      [2, 5],
      [50, 100],
    ])('of %i a second and bursts of %i is given to its last token', async (perSecond, burst) => {
      const { clock, take } = createSubject();
      const rate = { perSecond, burst };

      expect(await take(burst + 5, rate)).toBe(burst);
      clock.advance(3_000);
      expect(await take(burst + 500, rate)).toBe(Math.min(burst, 3 * perSecond));
    });

    test('is of one application, and of one kind of request', async () => {
      const { take } = createSubject();
      const rate = { perSecond: 1, burst: 1 };

      expect(await take(2, rate)).toBe(1);
      expect(await take(2, rate, { owner: 'app2' })).toBe(1);
      expect(await take(2, rate, { kind: 'push' })).toBe(1);
    });

    test('that the operator raises counts at once', async () => {
      const { clock, take } = createSubject();
      expect(await take(5, { perSecond: 1, burst: 2 })).toBe(2);
      expect(await take(5, { perSecond: 1, burst: 2 })).toBe(0);

      expect(await take(1, { perSecond: 100, burst: 200 })).toBe(0);
      clock.advance(1_000);
      expect(await take(200, { perSecond: 100, burst: 200 })).toBe(100);
    });

    test('gets back the token of a request that does not count', async () => {
      const { take, bucketOf } = createSubject();
      const rate = { perSecond: 1, burst: 2 };
      expect(await take(2, rate)).toBe(2);

      bucketOf(rate).refund();

      expect(await take(2, rate)).toBe(1);
    });

    test('reports the burst, what is left of it, and when it is full again', async () => {
      const { clock, take, bucketOf } = createSubject();
      expect(bucketOf().state()).toEqual({
        limit: 2_000,
        remaining: 2_000,
        resetSeconds: 0,
        retryAfterSeconds: 1,
      });

      await take(1_500);
      expect(bucketOf().state()).toMatchObject({ limit: 2_000, remaining: 500, resetSeconds: 2 });

      await take(501);
      expect(bucketOf().state()).toEqual({
        limit: 2_000,
        remaining: 0,
        resetSeconds: 2,
        retryAfterSeconds: 1,
      });

      clock.advance(2_000);
      expect(bucketOf().state()).toMatchObject({ remaining: 2_000, resetSeconds: 0 });
    });

    test('reports a Retry-After for the next possible token', async () => {
      const { take, bucketOf } = createSubject();
      const rate = { perSecond: 0.2, burst: 1 };
      await take(2, rate);

      expect(bucketOf(rate).state()).toEqual({
        limit: 1,
        remaining: 0,
        resetSeconds: 5,
        retryAfterSeconds: 5,
      });
    });

    test('never reports more room than it has, for the tightest of several', async () => {
      const { take, bucketOf, meter } = createSubject();
      await take(1_500);
      meter.charge(1_500);

      expect(bucketOf().shareAtLeast()).toBeLessThanOrEqual(0.25);
      expect(meter.shareAtLeast()).toBeLessThanOrEqual(0.25);
    });
  });

  describe(`a metered rate ${name}`, () => {
    test('has tokens while it is not empty; overspending is debt, which refills first', () => {
      const { clock, meter } = createSubject();
      expect(meter.state()).toEqual({
        limit: 2_000,
        remaining: 2_000,
        resetSeconds: 0,
        retryAfterSeconds: 1,
      });

      meter.charge(1_999);
      expect([meter.hasTokens(), meter.state().remaining]).toEqual([true, 1]);
      meter.charge(1_001);
      expect([meter.hasTokens(), meter.state()]).toEqual([
        false,
        { limit: 2_000, remaining: 0, resetSeconds: 3, retryAfterSeconds: 1 },
      ]);
      clock.advance(1_000);
      expect(meter.hasTokens()).toBe(false);
      clock.advance(1);
      expect(meter.hasTokens()).toBe(true);
    });

    test('never owes more than it holds', () => {
      const { clock, meter } = createSubject();

      meter.charge(1_000_000);
      expect(meter.state().resetSeconds).toBe(4);
      clock.advance(2_001);

      expect(meter.hasTokens()).toBe(true);
    });

    test('has back what was charged and not spent, up to full', () => {
      const { meter } = createSubject();
      meter.charge(2_500);
      expect(meter.hasTokens()).toBe(false);

      meter.refund(1_000);
      expect(meter.state().remaining).toBe(500);
      meter.refund(5_000);
      expect(meter.state().remaining).toBe(2_000);
    });
  });
}
