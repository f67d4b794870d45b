import { afterEach, describe, expect, test } from '@jest/globals';
import { readEnvironment, systemIds } from '@tidings/platform';
import { createRecordingLogger, eventually } from '@tidings/testing';
import { connectRedis, type Redis } from './client.ts';
import { publishKeyChange, subscribeKeyChanges } from './key-changes.ts';
import { createRelay, type Relay } from './testing/relay.ts';

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

/** The notifications of a subscriber, without those of other tests. */
function record(redis: Redis, ...ours: string[]): (string | null)[] {
  const seen: (string | null)[] = [];
  subscribeKeyChanges(redis, (applicationId) => {
    if (applicationId === null || ours.includes(applicationId)) seen.push(applicationId);
  });
  return seen;
}

const isReady = (redis: Redis): Promise<void> =>
  eventually(() => expect(redis.status).toBe('ready'));

describe('key changes', () => {
  test('a change reaches every subscriber, and subscribing requests a refresh', async () => {
    const applicationId = systemIds.uuid();
    const seen = [record(client(), applicationId), record(client(), applicationId)];
    await eventually(() => expect(seen).toEqual([[null], [null]]));
    const publisher = client();
    await isReady(publisher);

    await publishKeyChange(publisher, applicationId);

    await eventually(() =>
      expect(seen).toEqual([
        [null, applicationId],
        [null, applicationId],
      ]),
    );
  });

  test('a client that is connected already can subscribe', async () => {
    const redis = client();
    await isReady(redis);

    const seen = record(redis);

    await eventually(() => expect(seen).toEqual([null]));
  });

  test('after a reconnect the subscriber learns that changes may have been missed, and gets new ones', async () => {
    const relay = await startRelay();
    const [missed, heard] = [systemIds.uuid(), systemIds.uuid()];
    const seen = record(client(relay.url), missed, heard);
    await eventually(() => expect(seen).toEqual([null]));

    relay.set('refuse');
    const publisher = client();
    await isReady(publisher);
    await publishKeyChange(publisher, missed);
    relay.set('pass');
    await eventually(() => expect(seen).toEqual([null, null]));
    await publishKeyChange(publisher, heard);

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

    await rejectsWithin(1_000, publishKeyChange(client(relay.url), 'x'));
  });

  test('Redis was unavailable, and works after its return', async () => {
    const relay = await startRelay();
    const redis = client(relay.url);
    await isReady(redis);

    relay.set('refuse');
    await rejectsWithin(1_000, publishKeyChange(redis, 'x'));
    relay.set('pass');

    await eventually(() => publishKeyChange(redis, 'x'));
  });

  test('Redis is silent', async () => {
    const relay = await startRelay();
    const redis = client(relay.url);
    await isReady(redis);

    relay.set('stall');

    await rejectsWithin(2_000, publishKeyChange(redis, 'x'));
  });
});
