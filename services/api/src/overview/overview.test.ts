import { describe, expect, test } from '@jest/globals';
import { systemClock, systemIds } from '@tidings/platform';
import { connectDatabase } from '@tidings/postgres/database';
import { createRecordingLogger } from '@tidings/testing';
import { type AddressInfo, createServer } from 'node:net';
import { listAttention, type AttentionSources } from './attention.ts';
import { readIngestLag } from './ingest-lag.ts';
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

  test('nobody is called where all is well, nor while nobody knows how far the consumers are', () => {
    expect(listAttention(NOTHING)).toEqual([]);
    expect(listAttention({ ...NOTHING, lag: null })).toEqual([]);
  });

  test('the slower consumer counts', () => {
    expect(
      listAttention({ ...NOTHING, lag: { 'users-consumer': 0, 'events-consumer': 20_000 } }),
    ).toEqual([{ kind: 'ingest_behind', at: null, count: 20_000 }]);
  });

  test('a channel with settings that no test send proved is named, one without settings is not', () => {
    const channels = [
      { channel: 'SMS', status: 'untested', testedAt: null },
      { channel: 'EMAIL', status: 'not_configured', testedAt: null },
    ] as const;

    expect(listAttention({ ...NOTHING, channels })).toEqual([
      { kind: 'channel_untested', at: null, channel: 'SMS' },
    ]);
  });

  test('an endpoint that fails is told apart from one that was switched off', () => {
    const webhooks = [
      { webhookId: '1', url: 'https://a.example', disabledReason: null, since: 5 },
      { webhookId: '2', url: 'https://b.example', disabledReason: 'gone', since: 6 },
    ] as const;

    expect(listAttention({ ...NOTHING, webhooks }).map(({ kind, at }) => [kind, at])).toEqual([
      ['webhook_failing', 5],
      ['webhook_disabled', 6],
    ]);
  });

  test('of letters that are more than were counted it is said', () => {
    expect(
      listAttention({ ...NOTHING, deadLetters: { count: 1_000, hasMore: true, since: 1 } }),
    ).toEqual([{ kind: 'dead_letters', at: 1, count: 1_000, hasMore: true }]);
  });

  test('a budget of event definitions is named from four fifths of it on', () => {
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

  test('is what each consumer has still to read, from the first record that is kept where it has read none', async () => {
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

  test('is not known while Kafka is away', async () => {
    const committedOffsets = () => Promise.reject(new Error('no broker'));

    expect(await readIngestLag({ topicOffsets, committedOffsets }, logger)).toBeNull();
  });
});

describe('read-overview', () => {
  /** A port that was free a moment ago: no process listens there. */
  async function freePort(): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }

  test('while Postgres is away the overview fails, and leaves no rejection unhandled, which would end the process', async () => {
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
        { db, clock: systemClock, readIngestLag: () => Promise.resolve(null) },
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
