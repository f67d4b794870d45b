/** @needs redis */

import { afterEach, describe, expect, test } from '@jest/globals';
import { readEnvironment, systemIds } from '@tidings/platform';
import { createRecordingLogger, createRelay, eventually, type Relay } from '@tidings/testing';
import type { Broadcast } from '../broadcast.ts';
import { createRedisBroadcast } from './broadcast.ts';
import { connectRedis, type Redis } from './client.ts';

const redisUrl = readEnvironment()['REDIS_URL'] ?? '';
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function client(url = redisUrl): Redis {
  const redis = connectRedis(
    { redisUrl: url, redisProtocol: 3 },
    { logger: createRecordingLogger().logger, name: 'test' },
  );
  closing.push(() => redis.disconnect());
  return redis;
}

async function startRelay(): Promise<Relay> {
  const relay = await createRelay(redisUrl);
  closing.push(() => relay.close());
  return relay;
}

function broadcast(redis: Redis): Broadcast<readonly string[]> {
  return createRedisBroadcast(
    {
      channel: 'test',
      encode: (words) => words.join(),
      decode: (text) => text.split(','),
    },
    { publisher: redis, subscriber: () => redis },
  );
}

/** The notices of a subscriber, without those of other tests. */
function record(redis: Redis, ...ours: string[]): (string | null)[] {
  const seen: (string | null)[] = [];
  broadcast(redis).subscribe((words) => {
    if (words === null) seen.push(null);
    else seen.push(...words.filter((word) => ours.includes(word)));
  });
  return seen;
}

const publish = (redis: Redis, ...words: string[]): Promise<void> =>
  broadcast(redis).publish(words);

const isReady = (redis: Redis): Promise<void> =>
  eventually(() => expect(redis.status).toBe('ready'));

describe('a broadcast', () => {
  test('a notice reaches every subscriber, and subscribing requests a refresh', async () => {
    const word = systemIds.uuid();
    const seen = [record(client(), word), record(client(), word)];
    await eventually(() => expect(seen).toEqual([[null], [null]]));
    const publisher = client();
    await isReady(publisher);

    await publish(publisher, 'others', word);

    await eventually(() =>
      expect(seen).toEqual([
        [null, word],
        [null, word],
      ]),
    );
  });

  test('a client that is connected already can subscribe', async () => {
    const redis = client();
    await isReady(redis);

    const seen = record(redis);

    await eventually(() => expect(seen).toEqual([null]));
  });

  test('an ended subscription gets nothing more', async () => {
    const redis = client();
    const word = systemIds.uuid();
    const seen: unknown[] = [];
    const unsubscribe = broadcast(redis).subscribe((words) => seen.push(words));
    const others = record(redis, word);
    await eventually(() => expect([seen, others]).toEqual([[null], [null]]));
    const publisher = client();
    await isReady(publisher);

    unsubscribe();
    await publish(publisher, word);
    await eventually(() => expect(others).toEqual([null, word]));

    expect(seen).toEqual([null]);
  });

  test('after a reconnect the subscriber learns that notices may have been missed, and gets new ones', async () => {
    const relay = await startRelay();
    const [missed, heard] = [systemIds.uuid(), systemIds.uuid()];
    const seen = record(client(relay.url), missed, heard);
    await eventually(() => expect(seen).toEqual([null]));

    relay.set('refuse');
    const publisher = client();
    await isReady(publisher);
    await publish(publisher, missed);
    relay.set('pass');
    await eventually(() => expect(seen).toEqual([null, null]));
    await publish(publisher, heard);

    await eventually(() => expect(seen).toEqual([null, null, heard]));
  });
});

describe('commands fail fast while Redis is unavailable', () => {
  const rejectsWithin = async (ms: number, command: Promise<unknown>): Promise<void> => {
    const startedAt = performance.now();
    await expect(command).rejects.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(ms);
  };

  test('Redis was never there', async () => {
    const relay = await startRelay();
    relay.set('refuse');

    await rejectsWithin(1_000, publish(client(relay.url), 'x'));
  });

  test('Redis was unavailable, and works after its return', async () => {
    const relay = await startRelay();
    const redis = client(relay.url);
    await isReady(redis);

    relay.set('refuse');
    await rejectsWithin(1_000, publish(redis, 'x'));
    relay.set('pass');

    await eventually(() => publish(redis, 'x'));
  });

  test('Redis is silent', async () => {
    const relay = await startRelay();
    const redis = client(relay.url);
    await isReady(redis);

    relay.set('stall');

    await rejectsWithin(2_000, publish(redis, 'x'));
  });
});
