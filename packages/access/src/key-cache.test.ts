import { describe, expect, test } from '@jest/globals';
import type { KeyGrant } from '@tidings/accounts/api-keys';
import { AppError } from '@tidings/platform';
import { createFakeClock } from '@tidings/testing';
import { createKeyCache } from './key-cache.ts';

const REFRESH_MS = 20_000;
const FRESH_MS = 30_000;
const STALE_MS = 15 * 60_000;
const grantFor = (applicationId: string): KeyGrant => ({
  keyId: 'k',
  keyName: 'key',
  applicationId,
  type: 'server',
  allowedOrigins: [],
  allowList: [],
  settings: {},
});

/**
 * A cache over a store of the test: `keys` are the live keys, `state` is the state of the store.
 */
function createSubject() {
  const clock = createFakeClock();
  const keys = new Set(['app1:good', 'app1:second', 'app2:good']);
  const outages: unknown[] = [];
  const state = { isUnavailable: false, lookups: 0, hold: undefined as Promise<void> | undefined };
  const cache = createKeyCache({
    clock,
    random: () => 0.999,
    onUnavailable: (error) => outages.push(error),
    async findKeyGrant(applicationId, key) {
      state.lookups += 1;
      const found = keys.has(`${applicationId}:${key}`) ? grantFor(applicationId) : null;
      if (state.hold !== undefined) await state.hold;
      if (state.isUnavailable) throw new Error('the store is unavailable');
      return found;
    },
  });
  return { cache, clock, keys, state, outages };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a key', () => {
  test('is looked up once while it is fresh, and again after that', async () => {
    const { cache, clock, state } = createSubject();

    expect(await cache.find('app1', 'good')).toEqual(grantFor('app1'));
    clock.advance(REFRESH_MS - 1);
    expect(cache.find('app1', 'good')).toEqual(grantFor('app1'));
    expect(state.lookups).toBe(1);
    clock.advance(FRESH_MS - REFRESH_MS + 1);
    expect(cache.find('app1', 'good')).toBeInstanceOf(Promise);
    expect(state.lookups).toBe(2);
  });

  test('that is in use is looked up again behind its requests, so that none of them waits', async () => {
    const { cache, clock, state } = createSubject();
    await cache.find('app1', 'good');

    for (let round = 0; round < 5; round += 1) {
      clock.advance(REFRESH_MS);
      expect(cache.find('app1', 'good')).toEqual(grantFor('app1'));
      await settled();
    }

    expect(state.lookups).toBe(6);
  });

  test('asked for many times at once is looked up once', async () => {
    const { cache, state } = createSubject();

    await Promise.all(Array.from({ length: 50 }, async () => cache.find('app1', 'good')));

    expect(state.lookups).toBe(1);
  });

  test('is of one application only', async () => {
    const { cache } = createSubject();
    await cache.find('app1', 'second');

    expect(await cache.find('app2', 'second')).toBeNull();
  });

  test('that is wrong is remembered as such, until it is made', async () => {
    const { cache, keys, state } = createSubject();
    expect(await cache.find('app1', 'new')).toBeNull();
    expect(await cache.find('app1', 'new')).toBeNull();
    expect(state.lookups).toBe(1);

    keys.add('app1:new');
    cache.invalidate('app1');

    expect(await cache.find('app1', 'new')).toEqual(grantFor('app1'));
  });

  test('that is revoked is rejected at the latest when it is no longer fresh', async () => {
    const { cache, clock, keys } = createSubject();
    await cache.find('app1', 'good');
    keys.delete('app1:good');

    clock.advance(FRESH_MS);

    expect(await cache.find('app1', 'good')).toBeNull();
  });

  test('guessing others does not push it out', async () => {
    const { cache, state } = createSubject();
    await cache.find('app1', 'good');
    for (let guess = 0; guess < 10_100; guess += 1) await cache.find('app1', `guess ${guess}`);
    const { lookups } = state;

    await cache.find('app1', 'good');
    await cache.find('app1', 'guess 10099');
    expect(state.lookups).toBe(lookups);

    // The number of remembered failures is bounded: the first is dropped.
    await cache.find('app1', 'guess 0');
    expect(state.lookups).toBe(lookups + 1);
  });
});

describe('while the store is unavailable', () => {
  const away = () => {
    const subject = createSubject();
    return {
      ...subject,
      leave: () => void (subject.state.isUnavailable = true),
      comeBack: () => void (subject.state.isUnavailable = false),
    };
  };

  test('a key that was good serves on for 15 minutes, and no longer', async () => {
    const { cache, clock, leave } = away();
    await cache.find('app1', 'good');
    leave();

    clock.advance(STALE_MS - 1);
    expect(await cache.find('app1', 'good')).toEqual(grantFor('app1'));
    clock.advance(1);
    await expect(cache.find('app1', 'good')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('an outage is reported once, and the next one again', async () => {
    const { cache, leave, comeBack, outages } = away();
    const find = (key: string) => Promise.allSettled([cache.find('app1', key)]);
    leave();
    await find('good');
    await find('second');
    expect(outages).toHaveLength(1);

    comeBack();
    await find('good');
    leave();
    await find('second');
    expect(outages).toHaveLength(2);
  });

  test('an unknown key, and one that was wrong, are neither granted nor rejected', async () => {
    const { cache, clock, leave } = away();
    await cache.find('app1', 'wrong');
    leave();

    expect(await cache.find('app1', 'wrong')).toBeNull();
    clock.advance(FRESH_MS);
    await expect(cache.find('app1', 'wrong')).rejects.toThrow(AppError);
    await expect(cache.find('app1', 'good')).rejects.toThrow(AppError);
  });

  test('only the first request waits for the look-up; it is tried on, and noticed when the store is back', async () => {
    const { cache, clock, state, keys, leave, comeBack } = away();
    await cache.find('app1', 'good');
    leave();
    clock.advance(FRESH_MS);
    await cache.find('app1', 'good');

    // Now the store hangs, and no request waits for it.
    state.hold = new Promise(() => undefined);
    expect(await cache.find('app1', 'good')).toEqual(grantFor('app1'));
    cache.invalidate(null);
    state.hold = undefined;
    comeBack();
    keys.delete('app1:good');
    await cache.find('app1', 'good');
    await settled();

    expect(await cache.find('app1', 'good')).toBeNull();
  });

  test('it is queried less and less often for any number of requests and keys, and a known key stays usable', async () => {
    const { cache, clock, state, leave, comeBack } = away();
    const names = [
      ['app1', 'good'],
      ['app1', 'second'],
      ['app2', 'good'],
    ] as const;
    for (const [applicationId, key] of names) await cache.find(applicationId, key);
    leave();
    clock.advance(FRESH_MS);
    await cache.find('app1', 'good');
    const { lookups } = state;

    const asked: number[] = [];
    for (let ms = 0; ms < 30_000; ms += 50) {
      for (const [applicationId, key] of names)
        expect(await cache.find(applicationId, key)).toEqual(grantFor(applicationId));
      await settled();
      if (state.lookups > lookups + asked.length) asked.push(ms);
      clock.advance(50);
    }

    // After half a second, a second, two, four, then every five.
    expect(asked).toEqual([500, 1_500, 3_500, 7_500, 12_500, 17_500, 22_500, 27_500]);
    comeBack();
    clock.advance(5_000);
    await cache.find('app1', 'good');
    await settled();
    expect(cache.find('app1', 'good')).toEqual(grantFor('app1'));
  });

  test('a hanging look-up is abandoned', async () => {
    const { cache, state } = createSubject();
    state.hold = new Promise(() => undefined);

    await expect(cache.find('app1', 'good')).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 2,
    });
  });
});

describe('while keys are guessed faster than the store responds', () => {
  const LOOKUPS_MAX = 256;
  const guess = () => {
    const subject = createSubject();
    const { cache, state } = subject;
    const start = () => {
      let release = (): void => undefined;
      state.hold = new Promise((resolve) => {
        release = resolve;
      });
      const guesses = Array.from({ length: 1_000 }, (_, index) =>
        Promise.resolve(cache.find('app1', `guess ${index}`)),
      );
      return { release, answers: Promise.allSettled(guesses) };
    };
    return { ...subject, start };
  };

  test('pending look-ups are bounded; a request above the bound gets 503, not a rejection of its key', async () => {
    const { state, start } = guess();

    const { release, answers } = start();

    expect(state.lookups).toBe(LOOKUPS_MAX);
    release();
    const all = await answers;
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(LOOKUPS_MAX);
    const rejected = all.flatMap((answer) =>
      answer.status === 'rejected' ? [answer.reason as unknown] : [],
    );
    expect(rejected).toHaveLength(1_000 - LOOKUPS_MAX);
    for (const reason of rejected)
      expect(reason).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  });

  test('a key that is known to be good is served, and looked up again', async () => {
    const { cache, clock, state, start } = guess();
    await cache.find('app1', 'good');
    clock.advance(REFRESH_MS);
    const { release, answers } = start();

    expect(cache.find('app1', 'good')).toEqual(grantFor('app1'));
    expect(state.lookups).toBe(1 + LOOKUPS_MAX + 1);
    release();
    await answers;
  });

  test('new keys are looked up again when it is over', async () => {
    const { cache, state, start } = guess();
    const { release, answers } = start();
    release();
    await answers;
    state.hold = undefined;

    expect(await cache.find('app1', 'good')).toEqual(grantFor('app1'));
  });
});

describe('forget', () => {
  test('looks up every key of the application again, and none of others', async () => {
    const { cache, keys, state } = createSubject();
    for (const [applicationId, key] of [
      ['app1', 'good'],
      ['app1', 'second'],
      ['app2', 'good'],
    ] as const)
      await cache.find(applicationId, key);
    keys.clear();

    cache.invalidate('app1');

    expect(await cache.find('app1', 'good')).toBeNull();
    expect(await cache.find('app1', 'second')).toBeNull();
    expect(await cache.find('app2', 'good')).toEqual(grantFor('app2'));
    expect(state.lookups).toBe(5);
  });

  test('of an application grants nothing while the store is unavailable: the change may have been a revocation', async () => {
    const { cache, state } = createSubject();
    await cache.find('app1', 'good');
    state.isUnavailable = true;

    cache.invalidate('app1');

    await expect(cache.find('app1', 'good')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('of all looks up every key again, and serves what was good while the store is unavailable', async () => {
    const { cache, keys, state } = createSubject();
    await cache.find('app1', 'good');
    await cache.find('app1', 'second');
    await cache.find('app2', 'good');
    keys.delete('app1:good');

    cache.invalidate(null);

    expect(await cache.find('app1', 'good')).toBeNull();
    state.isUnavailable = true;
    expect(await cache.find('app2', 'good')).toEqual(grantFor('app2'));
  });

  test('while a look-up is under way keeps its answer, which may be the old state, out of the cache', async () => {
    const { cache, keys, state } = createSubject();
    let release = (): void => undefined;
    state.hold = new Promise((resolve) => {
      release = resolve;
    });
    const before = cache.find('app1', 'good');
    keys.delete('app1:good');

    cache.invalidate('app1');
    state.hold = undefined;
    const after = cache.find('app1', 'good');
    release();

    expect(await before).toEqual(grantFor('app1'));
    expect(await after).toBeNull();
    expect(await cache.find('app1', 'good')).toBeNull();
    expect(state.lookups).toBe(2);
  });
});
