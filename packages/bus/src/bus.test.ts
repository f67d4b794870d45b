import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { TOPICS } from '@tidings/contracts/topics';
import { ConfigError, createLogger, loadConfig, metricsRegistry } from '@tidings/platform';
import { createRecordingLogger } from '@tidings/testing';
import { declareCounters, logBatchFailures, runBatch } from './batch-run.ts';
import { createSocketFactory } from './bounded-socket.ts';
import { testBus } from './bus.conformance.ts';
import { BusUnavailableError } from './bus.ts';
import { busConfig } from './config.ts';
import { openBus } from './open-bus.ts';
import { Leases } from './leases.ts';
import { createLiveness } from './liveness.ts';
import { createMemoryBus } from './memory-bus.ts';
import { murmur2, choosePartition } from '@tidings/partitioned-log/partitioner';
import { createSlots } from './slots.ts';
import { until } from './until.ts';

describe('memory-bus', () => {
  testBus('the memory bus', createMemoryBus, () => Promise.resolve());

  test('an unavailable memory bus rejects records, and accepts them again later', async () => {
    const bus = createMemoryBus();
    const producer = await bus.producer();

    bus.setAvailable(false);
    await expect(
      producer.produce(TOPICS.ingest, [{ key: 'k', value: 'v' }]),
    ).rejects.toBeInstanceOf(BusUnavailableError);
    bus.setAvailable(true);

    expect(await producer.produce(TOPICS.ingest, [{ key: 'k', value: 'v' }])).toHaveLength(1);
  });
});

describe('partitioner', () => {
  // From org.apache.kafka.common.utils.UtilsTest#testMurmur2.
  test.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('murmur2 of %s is the one of the Java client', (text, hash) => {
    expect(murmur2(Buffer.from(text))).toBe(hash);
  });

  test('every key has a partition', () => {
    for (let n = 0; n < 1_000; n += 1)
      expect([0, 1, 2]).toContain(choosePartition(Buffer.from(`key-${n}`), 3));
  });
});

describe('batch-run', () => {
  test('a batch is a warning while it may pass, and an error from the fifth failure in a row on', async () => {
    const { logger, lines } = createRecordingLogger();
    const place = { topic: 'test', partition: 3 };
    let calls = 0;

    await runBatch(
      {
        ...place,
        records: [{ ...place, offset: 7n, key: null, value: Buffer.from('x'), headers: {} }],
        lease: new Leases().current(),
        heartbeat: () => Promise.resolve(),
        commit: () => Promise.resolve(),
      },
      {
        group: 'a-group',
        slots: createSlots(1),
        backoff: { baseMs: 1, capMs: 1 },
        async handle() {
          calls += 1;
          if (calls <= 6) throw new Error('always');
        },
        onProgress: () => undefined,
        onFailure: logBatchFailures(logger.child({ group: 'a-group' }), place),
      },
    );

    expect(lines.map(({ level, attempts }) => [level, attempts])).toEqual([
      ['warn', 1],
      ['warn', 2],
      ['warn', 3],
      ['warn', 4],
      ['error', 5],
      ['error', 6],
    ]);
    expect(lines.at(-1)).toMatchObject({ group: 'a-group', ...place, offset: '7' });
  });
});

test('the counters of a group begin at 0, so that a first failure is an increase', async () => {
  declareCounters('new-group', ['one', 'two']);

  for (const name of ['tidings_bus_consumed_records_total', 'tidings_bus_batch_failures_total']) {
    const metric = await metricsRegistry.getSingleMetric(name)?.get();
    expect(metric?.values.filter(({ labels }) => labels['group'] === 'new-group')).toMatchObject([
      { labels: { topic: 'one' }, value: 0 },
      { labels: { topic: 'two' }, value: 0 },
    ]);
  }
});

describe('bounded-socket', () => {
  const UNSENT_BYTES_MAX = 1024 * 1024;

  test('a connection to a peer that reads nothing ends before it holds more than the bound', async () => {
    await using server = net.createServer({ pauseOnConnect: true });
    const peers: net.Socket[] = [];
    server.on('connection', (peer) => peers.push(peer.on('error', () => undefined)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    let failure: Error | undefined;
    let heldMax = 0;

    const socket = createSocketFactory(UNSENT_BYTES_MAX)({
      host: '127.0.0.1',
      port: address.port,
      onConnect: () => undefined,
    } as never);
    socket.on('error', (error) => (failure = error));
    await until(() => {
      socket.write(Buffer.alloc(64 * 1024));
      heldMax = Math.max(heldMax, socket.writableLength);
      return failure !== undefined;
    });

    expect(failure?.message).toBe('the broker has stopped reading');
    expect(heldMax).toBeLessThanOrEqual(UNSENT_BYTES_MAX + 64 * 1024);
    expect(socket.destroyed).toBe(true);
    for (const peer of peers) peer.destroy();
  });
});

describe('config', () => {
  const ctx = { logger: createLogger('test', 'error'), service: 'test' };

  test('the brokers alone are enough', () => {
    const config = loadConfig(busConfig, { KAFKA_BROKERS: 'one:9092, two:9092' });

    expect(config.kafkaBrokers).toEqual(['one:9092', 'two:9092']);
    expect(openBus({ ...config, databaseUrl: 'postgres://unused' }, ctx)).toHaveProperty('admin');
  });

  test.each([
    [
      { KAFKA_SASL_MECHANISM: 'plain' },
      'KAFKA_SASL_MECHANISM needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD',
    ],
    [
      { KAFKA_HEARTBEAT_INTERVAL_MS: '20000' },
      'KAFKA_HEARTBEAT_INTERVAL_MS must be at most a third of KAFKA_SESSION_TIMEOUT_MS',
    ],
    [{ KAFKA_TLS_CA: 'pem' }, 'KAFKA_TLS_CA is set but KAFKA_TLS is false'],
  ])('settings that contradict each other stop the start: %j', (environment, problem) => {
    const config = loadConfig(busConfig, { KAFKA_BROKERS: 'one:9092', ...environment });

    let problems: readonly string[] = [];
    try {
      openBus({ ...config, databaseUrl: 'postgres://unused' }, ctx);
    } catch (error) {
      if (error instanceof ConfigError) problems = error.problems;
    }

    expect(problems).toEqual([problem]);
  });
});

describe('liveness', () => {
  function atTime(): { liveness: ReturnType<typeof createLiveness>; pass(ms: number): void } {
    let now = 0;
    return {
      liveness: createLiveness({ silenceMs: 100, stallMs: 1_000 }, () => now),
      pass(ms) {
        now += ms;
      },
    };
  }

  test('a client that is silent for too long is not alive', () => {
    const { liveness, pass } = atTime();
    pass(100);
    expect(liveness.isAlive()).toBe(true);
    pass(1);
    expect(liveness.isAlive()).toBe(false);
    liveness.client();
    expect(liveness.isAlive()).toBe(true);
  });

  test('a handler that reports nothing for too long is not alive, one that waits for its next turn is', () => {
    const { liveness, pass } = atTime();
    liveness.handler('t/0', true);
    pass(1_001);
    liveness.client();
    expect(liveness.isAlive()).toBe(false);
    liveness.handler('t/0', false);
    expect(liveness.isAlive()).toBe(true);
  });

  test('a final crash stays not alive', () => {
    const { liveness } = atTime();
    liveness.crash();
    liveness.client();
    expect(liveness.isAlive()).toBe(false);
  });

  test('a consumer that was stopped stays alive, so that the drain is not cut short', () => {
    const { liveness, pass } = atTime();
    liveness.stop();
    pass(10_000);
    liveness.crash();
    expect(liveness.isAlive()).toBe(true);
  });
});
