import { describe, expect, test } from '@jest/globals';
import { createRateLimiters, NO_SHARED_BUCKETS } from '@tidings/redis';
import { createFakeClock, createRecordingLogger } from '@tidings/testing';
import { createPaces } from './pace.ts';

/** Counted by this process alone: its share is all of a rate. */
function createSubject({ perSecond = 0, replicas = 1 } = {}) {
  const clock = createFakeClock();
  const limiter = createRateLimiters({
    shared: NO_SHARED_BUCKETS,
    clock,
    logger: createRecordingLogger().logger,
    replicas,
  })('send-test');
  const paces = createPaces({ limiter, clock, perSecond });
  const paceOf = (settings: Readonly<Record<string, unknown>> = {}, applicationId = 'app1') => {
    const pace = paces.of(applicationId, settings);
    if (pace === null) throw new Error('nothing limits it');
    return pace;
  };
  return { clock, paces, paceOf };
}

describe('a pace', () => {
  test('is there where the settings or the operator say so', () => {
    expect(createSubject().paces.of('app1', {})).toBeNull();
    expect(createSubject({ perSecond: 5 }).paces.of('app1', {})).not.toBeNull();
    for (const nothing of [0, -1, '5', null])
      expect(createSubject().paces.of('app1', { ratePerSecond: nothing })).toBeNull();
  });

  test('gives what a second has at once, then what comes back', async () => {
    const { clock, paceOf } = createSubject();
    const pace = paceOf({ ratePerSecond: 10 });

    expect(await pace.take(25)).toBe(10);
    clock.advance(500);
    expect(await pace.take(25)).toBe(5);
    clock.advance(60_000);
    expect(await pace.take(25)).toBe(10);
  });

  test('below one a second has one at a time', async () => {
    const { clock, paceOf } = createSubject({ perSecond: 100 });
    const pace = paceOf({ ratePerSecond: 0.5 });

    expect(await pace.take(5)).toBe(1);
    clock.advance(1_999);
    expect(await pace.take(5)).toBe(0);
    clock.advance(1);
    expect(await pace.take(5)).toBe(1);
  });

  test('without the others to ask is the share of one worker', async () => {
    const { paceOf } = createSubject({ replicas: 4 });

    expect(await paceOf({ ratePerSecond: 40 }).take(100)).toBe(10);
  });

  test('is one for each application', async () => {
    const { paceOf } = createSubject({ perSecond: 2 });

    expect(await paceOf({}, 'app1').take(5)).toBe(2);
    expect(await paceOf({}, 'app2').take(5)).toBe(2);
  });
});

describe('what gets no token', () => {
  test('waits where it is only when all of it has its turn soon', () => {
    const { paceOf } = createSubject();

    expect(paceOf({ ratePerSecond: 100 }).waitMs(40)).toBe(20);
    expect(paceOf({ ratePerSecond: 10 }).waitMs(20)).toBe(100);
    expect(paceOf({ ratePerSecond: 10 }).waitMs(21)).toBeNull();
    expect(paceOf({ ratePerSecond: 0.1 }).waitMs(1)).toBeNull();
  });

  test('gets places in one queue of its application, one after another, that move up with time', () => {
    const { clock, paceOf } = createSubject({ perSecond: 10 });

    expect(paceOf().queue(3)).toEqual([100, 200, 300]);
    expect(paceOf().queue(2)).toEqual([400, 500]);
    expect(paceOf({}, 'app2').queue(1)).toEqual([100]);
    clock.advance(450);
    expect(paceOf().queue(1)).toEqual([150]);
    clock.advance(60_000);
    expect(paceOf().queue(1)).toEqual([100]);
  });

  test('behind the end of the queue is looked at again by then, and not all of it at once', () => {
    const { paceOf } = createSubject({ perSecond: 1 });
    const pace = paceOf();

    pace.queue(600);
    const behind = pace.queue(100);

    expect(Math.min(...behind)).toBe(600_000);
    expect(Math.max(...behind)).toBeLessThan(660_000);
    expect(new Set(behind).size).toBe(100);
  });
});
