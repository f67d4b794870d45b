/** @needs redis */

import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { Rate } from '@tidings/contracts/limits';
import { readEnvironment, systemClock, systemIds } from '@tidings/platform';
import { createFakeClock, createRecordingLogger, createRelay, eventually } from '@tidings/testing';
import fc from 'fast-check';
import { createModelBuckets } from '../testing/model-buckets.ts';
import type { RateLimiter } from '../rates/rate-limiter.ts';
import { connectRedis, type Redis } from './client.ts';
import { createRedisRateLimiters, createSharedState } from './rate-limiters.ts';
import { createSharedBuckets } from './shared-buckets.ts';

jest.setTimeout(30_000);

const redisUrl = readEnvironment()['REDIS_URL'] ?? '';

/**
 * As in the services: the leases bound the wait of a request, and they distinguish a pause of this
 * process from silence of Redis.
 */
const COMMAND_TIMEOUT_MS = 2_000;

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function client(url = redisUrl): Promise<Redis> {
  const redis = connectRedis(
    { redisUrl: url, redisProtocol: 3 },
    { logger: createRecordingLogger().logger, name: 'test', commandTimeoutMs: COMMAND_TIMEOUT_MS },
  );
  closing.push(() => redis.disconnect());
  await eventually(() => expect(redis.status).toBe('ready'));
  return redis;
}

async function gateway(
  url?: string,
  logger = createRecordingLogger().logger,
): Promise<RateLimiter> {
  const shared = createSharedBuckets(await client(url), systemIds.uuid());
  return createRedisRateLimiters({
    state: createSharedState(logger),
    shared,
    clock: systemClock,
    replicas: 2,
  })('ingest');
}

const ALONE = 'rates are counted without redis, each process grants its share';
const SHARED = 'rates are shared through redis again';

/** When each process, by its log, started to count alone or to share again. */
function changesOf(logs: readonly (readonly Record<string, unknown>[])[]) {
  const changes = logs.flatMap((lines, gateway) =>
    lines.map(({ at, msg }) => ({ at: Number(at), gateway, msg })),
  );
  return changes.filter(({ msg }) => msg === ALONE || msg === SHARED).sort((a, b) => a.at - b.at);
}

/** How long one process counted alone while the other shared. */
function apartSeconds(changes: ReturnType<typeof changesOf>): number {
  const alone = new Set<number>();
  let apartMs = 0;
  let lastAt = 0;
  for (const { at, gateway, msg } of changes) {
    if (alone.size === 1) apartMs += at - lastAt;
    lastAt = at;
    if (msg === ALONE) alone.add(gateway);
    else alone.delete(gateway);
  }
  return apartMs / 1000;
}

/** Takes at every process as fast as it responds, for a while. Returns the number of grants. */
async function load(
  gateways: readonly RateLimiter[],
  {
    applicationId,
    rate,
    forMs,
  }: { readonly applicationId: string; readonly rate: Rate; readonly forMs: number },
) {
  const startedAt = performance.now();
  let given = 0;
  await Promise.all(
    gateways.map(async (limiter) => {
      while (performance.now() - startedAt < forMs) {
        for (let request = 0; request < 20; request += 1)
          if (await limiter.bucketOf(applicationId, rate).take()) given += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }),
  );
  return { given, seconds: (performance.now() - startedAt) / 1000 };
}

/** The seconds since now, with those between two loads: buckets are refilled then, too. */
function stopwatch(): () => number {
  const startedAt = performance.now();
  return () => (performance.now() - startedAt) / 1000;
}

describe('two gateways at one Redis', () => {
  test('give together what the rate allows, no more and hardly less', async () => {
    const gateways = [await gateway(), await gateway()];
    const rate = { perSecond: 1_000, burst: 500 };

    const { given, seconds } = await load(gateways, {
      applicationId: systemIds.uuid(),
      rate,
      forMs: 1_500,
    });

    expect(given).toBeLessThanOrEqual(rate.burst + rate.perSecond * seconds);
    expect(given).toBeGreaterThan(0.85 * (rate.burst + rate.perSecond * seconds));
  });

  test('share a rate of a few to its last token', async () => {
    const gateways = [await gateway(), await gateway()];
    const rate = { perSecond: 1, burst: 5 };

    const { given, seconds } = await load(gateways, {
      applicationId: systemIds.uuid(),
      rate,
      forMs: 500,
    });

    expect(given).toBe(rate.burst);
    expect(seconds).toBeLessThan(1);
  });

  test('give at most one burst more when Redis loses everything', async () => {
    const redis = await client();
    const gateways = [await gateway(), await gateway()];
    const applicationId = systemIds.uuid();
    const rate = { perSecond: 100, burst: 200 };
    const secondsSoFar = stopwatch();
    const before = await load(gateways, { applicationId, rate, forMs: 300 });

    // Only this bucket: other tests have keys in this Redis, and FLUSHALL would do the same to this
    // one.
    await redis.del(`tidings:rate:ingest:${applicationId}`);
    await redis.script('FLUSH');
    const after = await load(gateways, { applicationId, rate, forMs: 500 });
    const seconds = secondsSoFar();

    expect(before.given + after.given).toBeLessThanOrEqual(
      2 * rate.burst + rate.perSecond * seconds,
    );
    expect(after.given).toBeGreaterThan(rate.burst / 2);
  });

  test.each(['refuse', 'stall'] as const)(
    'continue with their fractions when Redis becomes unavailable, without waiting: %s',
    async (how) => {
      const relay = await createRelay(redisUrl);
      closing.push(() => relay.close());
      const recordings = [createRecordingLogger(), createRecordingLogger()];
      const gateways = await Promise.all(
        recordings.map(({ logger }) => gateway(relay.url, logger)),
      );
      const applicationId = systemIds.uuid();
      const rate = { perSecond: 200, burst: 100 };
      const secondsSoFar = stopwatch();
      const before = await load(gateways, { applicationId, rate, forMs: 300 });

      relay.set(how);
      const away = await load(gateways, { applicationId, rate, forMs: 1_000 });
      const answers = gateways.map((limiter) => limiter.bucketOf(applicationId, rate).take());
      relay.set('pass');
      const back = await load(gateways, { applicationId, rate, forMs: 2_500 });
      const seconds = secondsSoFar();

      expect(answers.map((answer) => typeof answer)).toEqual(['boolean', 'boolean']);
      const changes = changesOf(recordings.map(({ lines }) => lines));
      expect(
        gateways.map((_, gateway) => changes.findLast((change) => change.gateway === gateway)?.msg),
      ).toEqual([SHARED, SHARED]);
      const apart = apartSeconds(changes);
      // Each process tries once per second.
      expect(apart).toBeLessThan(2);
      // A process that already knows that Redis is unavailable, or does not yet know that it is
      // back, grants its fraction while the other grants everything.
      const allowed = rate.burst + rate.perSecond * seconds + (rate.perSecond / 2) * apart;
      // The fractions of an exhausted rate start empty. The first process back may take tokens
      // whose spending the other has not reported yet.
      expect(before.given + away.given + back.given).toBeLessThanOrEqual(allowed + rate.burst / 2);
      expect(away.given).toBeGreaterThan(0.5 * rate.perSecond * away.seconds);
      expect(back.given).toBeGreaterThan(0.5 * rate.perSecond * back.seconds);
    },
  );
});

describe('a bucket in Redis', () => {
  test('is gone when it would be full again', async () => {
    const redis = await client();
    const applicationId = systemIds.uuid();
    const shared = createSharedBuckets(redis, 'one');
    const request = {
      bucket: `ingest:${applicationId}`,
      rate: { perSecond: 1_000, burst: 100 },
      wanted: 100,
      waiting: 0,
      unspent: 0,
      debt: 0,
    };

    expect(await shared.lease(request)).toMatchObject({ granted: 100, left: 0 });

    const ttlMs = await redis.pttl(`tidings:rate:ingest:${applicationId}`);
    expect(ttlMs).toBeGreaterThan(0);
    expect(ttlMs).toBeLessThanOrEqual(1_102);
  });

  test.each([
    ['what others hold still is no room to fill', 1_000, 60, 40],
    ['what others held until a second ago was none', -1_000, 60, 50],
    ['what was given up before the bucket was counted does not matter', -25_000, 60, 100],
  ])('counts what gateways hold: %s', async (_what, heldForMs, amount, granted) => {
    const redis = await client();
    const bucket = `ingest:${systemIds.uuid()}`;
    const [seconds, micros] = await redis.time();
    const now = Number(seconds) * 1e6 + Number(micros);
    // Empty 20 s ago; then 10 tokens per second refilled, while another process held some.
    await redis.hset(`tidings:rate:${bucket}`, {
      tokens: '0',
      at: String(now - 20e6),
      'held:other': `${amount}:${now + heldForMs * 1000}`,
    });

    const lease = await createSharedBuckets(redis, 'one').lease({
      bucket,
      rate: { perSecond: 10, burst: 100 },
      wanted: 1_000,
      waiting: 0,
      unspent: 0,
      debt: 0,
    });

    // A slow machine refills one or two tokens more.
    expect(lease.granted - granted).toBeGreaterThanOrEqual(0);
    expect(lease.granted - granted).toBeLessThanOrEqual(heldForMs === -1_000 ? 5 : 0);
  });

  test('grants exactly what its rules say', async () => {
    const redis = await client();
    const rate = { perSecond: 1e-6, burst: 100 };
    const lease = fc.record({
      holder: fc.constantFrom('one', 'two'),
      wanted: fc.integer({ min: 1, max: 40 }),
      waiting: fc.integer({ min: 0, max: 40 }),
      unspent: fc.integer({ min: 0, max: 40 }),
      debt: fc.integer({ min: 0, max: 5 }),
    });

    await fc.assert(
      fc.asyncProperty(fc.array(lease, { minLength: 1, maxLength: 12 }), async (leases) => {
        const model = createModelBuckets(createFakeClock());
        const bucket = `ingest:${systemIds.uuid()}`;
        for (const { holder, ...request } of leases) {
          const [real, expected] = await Promise.all(
            [createSharedBuckets(redis, holder), model.of(holder)].map((buckets) =>
              buckets.lease({ bucket, rate, ...request }),
            ),
          );
          expect([real?.granted, real?.left]).toEqual([expected?.granted, expected?.left]);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('counts what was spent after the fact as the model does, into debt', async () => {
    const redis = await client();
    const [shared, model] = [
      createSharedBuckets(redis, 'one'),
      createModelBuckets(createFakeClock()).of('one'),
    ];
    const request = {
      bucket: `bytes:${systemIds.uuid()}`,
      rate: { perSecond: 0.001, burst: 1_000 },
    };

    // Below 0: a refund, up to the size of the bucket.
    for (const spent of [0, 1, 999, 300, -600, -5_000, 400, 5_000])
      expect(await shared.spend({ ...request, spent })).toBe(
        await model.spend({ ...request, spent }),
      );

    expect(await redis.hget(`tidings:rate:${request.bucket}`, 'tokens')).toMatch(/^-999\.9|^-1000/);
    expect(await redis.pttl(`tidings:rate:${request.bucket}`)).toBeGreaterThan(0);
  });

  test('never grants more than it has, for any holder and request', async () => {
    const redis = await client();
    const holders = ['one', 'two', 'three'].map((name) => createSharedBuckets(redis, name));
    const lease = fc.record({
      holder: fc.integer({ min: 0, max: 2 }),
      wanted: fc.integer({ min: 1, max: 50 }),
      waiting: fc.integer({ min: 0, max: 10 }),
      debt: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 })),
    });
    const rates = fc.record({
      perSecond: fc.integer({ min: 1, max: 1_000 }),
      burst: fc.integer({ min: 1, max: 100 }),
    });

    await fc.assert(
      fc.asyncProperty(
        rates,
        fc.array(lease, { minLength: 1, maxLength: 15 }),
        async (rate, leases) => {
          const bucket = `ingest:${systemIds.uuid()}`;
          const startedAt = performance.now();
          let granted = 0;
          for (const { holder, wanted, waiting, debt } of leases) {
            const answer = await holders[holder]?.lease({
              bucket,
              rate,
              wanted,
              waiting,
              unspent: 0,
              debt,
            });
            granted += answer?.granted ?? 0;
            expect(answer?.left).toBeGreaterThanOrEqual(0);
          }
          expect(granted).toBeLessThanOrEqual(
            rate.burst + ((performance.now() - startedAt) * rate.perSecond) / 1000,
          );
        },
      ),
      { numRuns: 50 },
    );
  });
});
