import { describe, expect, test } from '@jest/globals';
import { createFakeClock, createRecordingLogger } from '@tidings/testing';
import { createModelBuckets } from '../testing/model-buckets.ts';
import type { RateMeter } from '../rates/rate-limiter.ts';
import { createRedisRateLimiters, createSharedState } from './rate-limiters.ts';

const RATE = { perSecond: 1_000, burst: 2_000 };

function createSubject({ processes = 1 } = {}) {
  const clock = createFakeClock();
  const model = createModelBuckets(clock);
  const { logger } = createRecordingLogger();
  const limiters = Array.from({ length: processes }, (_, index) =>
    createRedisRateLimiters({
      state: createSharedState(logger),
      shared: model.of(`p${index}`),
      clock,
      replicas: processes,
    })('bytes'),
  );
  const meters = limiters.map((limiter) => limiter.meterOf('app1', RATE));
  const [meter] = meters;
  if (meter === undefined) throw new Error('there is no process');
  return { clock, model, meters, meter };
}

/** Lets the store respond to the reports. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Sends bodies of `amount` every `everyMs` for `forMs` while the meters have tokens. Returns the
 * admitted amount.
 */
async function send(
  meters: readonly RateMeter[],
  clock: { advance(ms: number): void },
  {
    amount,
    everyMs,
    forMs,
  }: { readonly amount: number; readonly everyMs: number; readonly forMs: number },
): Promise<number> {
  let sent = 0;
  for (let ms = 0; ms < forMs; ms += everyMs) {
    for (const meter of meters) {
      if (!meter.hasTokens()) continue;
      meter.charge(amount);
      sent += amount;
    }
    await settle();
    clock.advance(everyMs);
  }
  return sent;
}

describe('a metered bucket', () => {
  test('has back what was charged and not spent, up to full, and so does every process', async () => {
    const { clock, meters, meter } = createSubject({ processes: 2 });
    const [, other] = meters;
    for (let body = 0; body < 4; body += 1) meter.charge(600);
    await settle();
    clock.advance(100);
    other?.charge(1);
    await settle();
    expect([meter.hasTokens(), other?.hasTokens()]).toEqual([false, false]);

    // All at once, also during an earlier report.
    for (let body = 0; body < 4; body += 1) meter.refund(600);
    await settle();
    clock.advance(100);
    other?.charge(1);
    await settle();

    expect(meter.state().remaining).toBe(2_000);
    expect(other?.state().remaining).toBe(1_999);
    meter.refund(1_000);
    expect(meter.state().remaining).toBe(2_000);
  });

  test.each([1, 3])(
    'admits its burst and its rate over %i processes, for every body size',
    async (processes) => {
      const { clock, meters } = createSubject({ processes });

      const sent = await send(meters, clock, { amount: 300, everyMs: 10, forMs: 20_000 });

      const allowed = RATE.burst + 20 * RATE.perSecond;
      // Each process may exceed the known total by two bodies.
      expect(sent).toBeLessThanOrEqual(allowed + processes * 2 * 300);
      expect(sent).toBeGreaterThan(0.95 * allowed);
    },
  );

  test('reports to Redis at most ten times a second, and never makes a request wait', async () => {
    const { clock, meters, model } = createSubject();

    await send(meters, clock, { amount: 1, everyMs: 1, forMs: 5_000 });

    expect(model.calls).toBeLessThanOrEqual(51);
    expect(model.calls).toBeGreaterThan(40);
  });

  test('without Redis each process has its share, and Redis hears of it afterwards', async () => {
    const { clock, meters, model } = createSubject({ processes: 2 });
    model.fault = 'away';

    const alone = await send(meters, clock, { amount: 100, everyMs: 10, forMs: 10_000 });

    const allowed = RATE.burst + 10 * RATE.perSecond;
    expect(alone).toBeLessThanOrEqual(1.1 * allowed);
    expect(alone).toBeGreaterThan(0.9 * allowed);
    model.fault = 'none';
    // Tokens spent without Redis, up to one burst per process, are debt now.
    expect(await send(meters, clock, { amount: 100, everyMs: 10, forMs: 1_000 })).toBeLessThan(
      RATE.burst,
    );
  });
});
