/** @needs redis */

import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createShared, readEnvironment, systemClock, systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import {
  createOwnDatabase,
  createRecordingLogger,
  createRelay,
  eventually,
  testDatabaseUrl,
} from '@tidings/testing';
import type { Coordination } from './coordination.ts';
import { openCoordination } from './open-coordination.ts';

jest.setTimeout(60_000);

const redisUrl = readEnvironment()['REDIS_URL'] ?? '';
let db: Database;
let databaseUrl: string;

beforeAll(async () => {
  // The lock is of one database: other tests hold theirs.
  db = await createOwnDatabase({ poolMax: 1 });
  const { rows } = await db.sql.query<{ name: string }>('select current_database() as name');
  databaseUrl = Object.assign(new URL(testDatabaseUrl()), { pathname: rows[0]?.name }).href;
});
afterAll(() => db.close());

const opened: Coordination[] = [];
afterEach(async () => {
  for (const coordination of opened.splice(0)) await coordination.close();
});

/** A process; `open` opens the coordination for one of its services. */
function createProcess({
  redis = '',
  url = databaseUrl,
}: { readonly redis?: string; readonly url?: string } = {}) {
  const { logger, lines } = createRecordingLogger();
  let aheadMs = 0;
  const state = { ends: 0 };
  const ctx = {
    logger,
    clock: { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs },
    ids: systemIds,
    shared: createShared(),
    end: () => void (state.ends += 1),
  };
  return {
    state,
    messages: () => lines.map(({ level, msg }) => `${String(level)} ${String(msg)}`),
    advance: (ms: number) => void (aheadMs += ms),
    async open(service = 'gateway'): Promise<Coordination> {
      const coordination = await openCoordination(
        { redisUrl: redis, redisProtocol: 3, databaseUrl: url },
        ctx,
        service,
      );
      opened.push(coordination);
      return coordination;
    },
  };
}

const WITHOUT =
  'warn Another Tidings process uses this database without Redis. Set REDIS_URL for all of them, or stop the other.';
const WITH =
  'warn Other Tidings processes use this database with Redis. Set REDIS_URL for this one too, or stop the others.';

describe('a process waits, and says why every 10 s', () => {
  test.each([
    ['without Redis beside one without it', '', '', WITHOUT],
    ['with Redis beside one without it', '', redisUrl, WITHOUT],
    ['without Redis beside one with it', redisUrl, '', WITH],
  ])('%s', async (_, theirs, ours, message) => {
    const first = await createProcess({ redis: theirs }).open();
    const second = createProcess({ redis: ours });
    const waiting = second.open();
    await eventually(() => expect(second.messages()).toEqual([message]));

    second.advance(10_000);
    await eventually(() => expect(second.messages()).toEqual([message, message]));

    await first.close();
    await waiting;
    expect(second.messages()).toEqual([message, message]);
    expect(second.state.ends).toBe(0);
  });

  test('but not for another with Redis', async () => {
    await createProcess({ redis: redisUrl }).open();
    const second = createProcess({ redis: redisUrl });

    await second.open();

    expect(second.messages()).toEqual([]);
  });
});

describe('the services of one process', () => {
  test.each([
    ['without Redis', ''],
    ['with Redis', redisUrl],
  ])('open it together, and keep it until the last closes: %s', async (_, redis) => {
    const own = createProcess({ redis });
    const [gateway, api] = await Promise.all([own.open('gateway'), own.open('api')]);
    const other = createProcess({ redis: redis === '' ? redisUrl : '' });
    const waiting = other.open();
    await eventually(() => expect(other.messages()).toHaveLength(1));

    await gateway.close();
    await gateway.close();
    const again = await own.open('gateway');
    await api.close();
    other.advance(10_000);
    await eventually(() => expect(other.messages()).toHaveLength(2));

    await again.close();
    await waiting;
  });

  test('share rates and notices without Redis', async () => {
    const own = createProcess();
    const [gateway, api] = [await own.open('gateway'), await own.open('api')];
    const rate = { perSecond: 0.001, burst: 3 };
    const buckets = [gateway, api].map((coordination) =>
      coordination.rateLimiters({ replicas: 1 })('push').bucketOf('app', rate),
    );
    const seen: unknown[] = [];
    gateway.keyChanges.subscribe((applicationId) => seen.push(applicationId));
    gateway.inboxWakeUps.subscribe((userIds) => seen.push(userIds));

    await api.keyChanges.publish('app');
    await api.inboxWakeUps.publish(['user 1', 'user 2']);

    const takes = [0, 1, 0, 1].map((at) => buckets[at]?.take());
    expect(takes).toEqual([true, true, true, false]);
    await eventually(() => expect(seen).toEqual(['app', ['user 1', 'user 2']]));
  });

  test('share rates with Redis, among themselves and with another process', async () => {
    const own = createProcess({ redis: redisUrl });
    const other = createProcess({ redis: redisUrl });
    const coordinations = [
      await own.open('gateway'),
      await own.open('api'),
      await other.open('gateway'),
    ];
    const app = systemIds.uuid();
    const rate = { perSecond: 0.001, burst: 5 };
    const buckets = coordinations.map((coordination) =>
      coordination.rateLimiters({ replicas: 1_000_000 })('push').bucketOf(app, rate),
    );
    // Until Redis answered, a process has only its share.
    await eventually(async () => {
      for (const coordination of coordinations) await coordination.keyChanges.publish('connected');
    });

    let granted = 0;
    for (let round = 0; round < 10; round += 1)
      for (const bucket of buckets) if (await bucket.take()) granted += 1;

    expect(granted).toBeLessThanOrEqual(rate.burst);
    expect(granted).toBeGreaterThan(0);
  });

  test('notify those of another process through Redis', async () => {
    const [publisher, subscriber] = [
      await createProcess({ redis: redisUrl }).open(),
      await createProcess({ redis: redisUrl }).open(),
    ];
    const app = systemIds.uuid();
    const seen: unknown[] = [];
    subscriber.keyChanges.subscribe((applicationId) => {
      if (applicationId === app) seen.push(applicationId);
    });
    subscriber.inboxWakeUps.subscribe((userIds) => {
      if (userIds?.includes(app) === true) seen.push(userIds);
    });

    await eventually(async () => {
      await publisher.keyChanges.publish(app);
      await publisher.inboxWakeUps.publish([app, 'another']);
      expect(seen).toContain(app);
      expect(seen).toContainEqual([app, 'another']);
    });
  });
});

test('a process whose connection was lost ends when another uses the database since', async () => {
  const relay = await createRelay(databaseUrl);
  const own = createProcess({ url: relay.url });
  await own.open();

  relay.set('refuse');
  const other = createProcess({ redis: redisUrl });
  await other.open();
  expect(own.state.ends).toBe(0);
  relay.set('pass');

  await eventually(() => expect(own.state.ends).toBe(1));
  expect(own.messages()).toContain(
    'error another Tidings process took the database while the connection was lost, ending',
  );
  expect(other.state.ends).toBe(0);
  await relay.close();
});

test('a process with a wrong password does not start', async () => {
  const url = new URL(databaseUrl);
  url.password = 'of-yesterday';

  await expect(createProcess({ url: url.href }).open()).rejects.toMatchObject({
    message: expect.stringContaining('password'),
  });
});
