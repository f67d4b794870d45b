import { describe, expect, test } from '@jest/globals';
import { systemClock, systemIds } from '@tidings/platform';
import { connectDatabase } from '@tidings/postgres/database';
import { createRecordingLogger } from '@tidings/testing';
import { type AddressInfo, createServer } from 'node:net';
import { listAttention, type AttentionSources } from './attention.ts';
import { readIngestLag } from './ingest-lag.ts';
import { listStores } from './list-stores.ts';
import { readOverview } from './read-overview.ts';

describe('attention', () => {
  const NOTHING: AttentionSources = {
    lag: { 'users-consumer': 0, 'events-consumer': 3 },
    deadLetters: { count: 0, hasMore: false, since: null },
    webhooks: [],
    channels: [],
    campaigns: [],
    addresses: [],
    definitions: { server: 1_599, client: 399 },
  };

  const IDLE = {
    state: 'idle',
    since: null,
    attempts: 0,
    failed: 0,
    unknown: 0,
    reason: null,
  } as const;

  test('is empty when all is well, and while the consumer lag is unknown', () => {
    expect(listAttention(NOTHING)).toEqual([]);
    expect(listAttention({ ...NOTHING, lag: null })).toEqual([]);
  });

  test('the slower consumer counts', () => {
    expect(
      listAttention({ ...NOTHING, lag: { 'users-consumer': 0, 'events-consumer': 20_000 } }),
    ).toEqual([{ kind: 'ingest_behind', at: null, count: 20_000 }]);
  });

  test('lists an untested channel, but not an unconfigured one', () => {
    const channels = [
      { channel: 'SMS', status: 'untested', testedAt: null, health: IDLE },
      { channel: 'EMAIL', status: 'not_configured', testedAt: null, health: IDLE },
    ] as const;

    expect(listAttention({ ...NOTHING, channels })).toEqual([
      { kind: 'channel_untested', at: null, channel: 'SMS' },
    ]);
  });

  test('lists a failing channel once: not beside its pause', () => {
    const health = {
      ...IDLE,
      state: 'failing',
      since: 7,
      attempts: 12,
      failed: 10,
      unknown: 2,
      reason: 'provider_auth',
    } as const;
    const channel = { channel: 'SMS', status: 'ready', testedAt: 1, health } as const;

    expect(listAttention({ ...NOTHING, channels: [channel] })).toEqual([
      {
        kind: 'channel_failing',
        at: 7,
        channel: 'SMS',
        count: 12,
        total: 12,
        reason: 'provider_auth',
      },
    ]);
    const pause = { reason: 'provider_auth', pausedAt: 9 } as const;
    expect(
      listAttention({ ...NOTHING, channels: [{ ...channel, pause }] }).map(({ kind }) => kind),
    ).toEqual(['channel_paused']);
  });

  test('distinguishes failing from disabled endpoints', () => {
    const webhooks = [
      { webhookId: '1', url: 'https://a.example', disabledReason: null, since: 5 },
      { webhookId: '2', url: 'https://b.example', disabledReason: 'gone', since: 6 },
    ] as const;

    expect(listAttention({ ...NOTHING, webhooks }).map(({ kind, at }) => [kind, at])).toEqual([
      ['webhook_failing', 5],
      ['webhook_disabled', 6],
    ]);
  });

  test('marks a dead letter count that is a lower bound', () => {
    expect(
      listAttention({ ...NOTHING, deadLetters: { count: 1_000, hasMore: true, since: 1 } }),
    ).toEqual([{ kind: 'dead_letters', at: 1, count: 1_000, hasMore: true }]);
  });

  test('lists a definition budget from 80 % of it', () => {
    expect(listAttention({ ...NOTHING, definitions: { server: 1_600, client: 399 } })).toEqual([
      { kind: 'definitions_nearly_full', at: null, count: 1_600, total: 2_000 },
    ]);
    expect(listAttention({ ...NOTHING, definitions: { server: 0, client: 400 } })).toEqual([
      { kind: 'client_definitions_nearly_full', at: null, count: 400, total: 500 },
    ]);
  });
});

describe('ingest-lag', () => {
  const { logger } = createRecordingLogger();
  const topicOffsets = async () =>
    new Map([
      [0, { low: 10n, high: 100n }],
      [1, { low: 0n, high: 50n }],
    ]);

  test('is the number of unread records per consumer, counted from the first retained record if it has read none', async () => {
    const committedOffsets = async (group: string) =>
      new Map(
        group === 'users-consumer'
          ? [
              [0, 90n],
              [1, 50n],
            ]
          : [[0, 100n]],
      );

    expect(await readIngestLag({ topicOffsets, committedOffsets }, logger)).toEqual({
      'users-consumer': 10,
      'events-consumer': 50,
    });
  });

  test('is unknown while Kafka is unavailable', async () => {
    const committedOffsets = () => Promise.reject(new Error('no broker'));

    expect(await readIngestLag({ topicOffsets, committedOffsets }, logger)).toBeNull();
  });
});

describe('read-overview', () => {
  /** A port that was free a moment ago, without a listener. */
  async function freePort(): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }

  test('while Postgres is unavailable the overview fails without an unhandled rejection, which would end the process', async () => {
    const db = connectDatabase({
      databaseUrl: `postgres://a:b@127.0.0.1:${await freePort()}/none`,
      poolMax: 20,
      applicationName: 'test',
    });
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);

    try {
      const reading = readOverview(
        { db, clock: systemClock, readIngestLag: () => Promise.resolve(null), runsOn: [] },
        systemIds.uuid(),
      );
      await expect(reading).rejects.toThrow();
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('unhandledRejection', note);
      await db.close();
    }
    expect(unhandled).toEqual([]);
  });
});

test.each([
  ['postgres', '', ['postgres']],
  ['kafka', '', ['postgres', 'kafka']],
  ['kafka', 'redis://host', ['postgres', 'kafka', 'redis']],
  ['postgres', 'redis://host', ['postgres', 'redis']],
])('with BUS=%s and REDIS_URL=%j an installation runs on %j', (bus, redisUrl, stores) => {
  expect(listStores({ bus, redisUrl })).toEqual(stores);
});
