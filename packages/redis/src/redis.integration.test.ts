import { afterEach, describe, expect, test } from '@jest/globals';
import { readEnvironment, systemIds } from '@tidings/platform';
import { createRecordingLogger, eventually } from '@tidings/testing';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { connectRedis, type Redis } from './client.ts';
import { publishKeyChange, subscribeKeyChanges } from './key-changes.ts';

const redisUrl = readEnvironment()['REDIS_URL'] ?? '';
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function client(url = redisUrl): Redis {
  const redis = connectRedis({ redisUrl: url, redisProtocol: 3 }, { logger: createRecordingLogger().logger, name: 'test' });
  closing.push(() => redis.disconnect());
  return redis;
}

/** Stands between a client and Redis, to take Redis away from this client only. */
async function startRelay() {
  const { hostname, port } = new URL(redisUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  let mode: 'pass' | 'refuse' | 'swallow' = 'pass';
  const server = createServer((near) => {
    near.on('error', () => undefined);
    if (mode === 'refuse') return void near.destroy();
    const far = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
    const pair = [near, far] as const;
    pairs.add(pair);
    near.on('data', (bytes) => mode !== 'swallow' && far.write(bytes));
    far.on('data', (bytes) => mode !== 'swallow' && near.write(bytes));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => pairs.forEach(([near]) => near.destroy());
  closing.push(() => {
    cut();
    return new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set(next: typeof mode) {
      mode = next;
      if (next === 'refuse') cut();
    },
  };
}

/** What a subscriber is told, without the changes that other tests announce. */
function record(redis: Redis, ...ours: string[]): (string | null)[] {
  const seen: (string | null)[] = [];
  subscribeKeyChanges(redis, (applicationId) => {
    if (applicationId === null || ours.includes(applicationId)) seen.push(applicationId);
  });
  return seen;
}

const isReady = (redis: Redis): Promise<void> => eventually(() => expect(redis.status).toBe('ready'));

describe('key changes', () => {
  test('a change reaches every subscriber, and subscribing itself asks for a fresh look', async () => {
    const applicationId = systemIds.uuid();
    const seen = [record(client(), applicationId), record(client(), applicationId)];
    await eventually(() => expect(seen).toEqual([[null], [null]]));
    const publisher = client();
    await isReady(publisher);

    await publishKeyChange(publisher, applicationId);

    await eventually(() => expect(seen).toEqual([[null, applicationId], [null, applicationId]]));
  });

  test('a client that is connected already can subscribe', async () => {
    const redis = client();
    await isReady(redis);

    const seen = record(redis);

    await eventually(() => expect(seen).toEqual([null]));
  });

  test('after a reconnect the subscriber is told that changes may have been missed, and hears new ones', async () => {
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

describe('commands fail fast while Redis is away', () => {
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

  test('Redis went away, and works again after its return', async () => {
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

    relay.set('swallow');

    await rejectsWithin(2_000, publishKeyChange(redis, 'x'));
  });
});
