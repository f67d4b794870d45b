/**
 * @needs kafka
 * @slow
 */

import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { metricsRegistry, readEnvironment } from '@tidings/platform';
import { createRecordingLogger, eventually } from '@tidings/testing';
import type { Bus } from './bus.ts';
import { createKafkaBus } from './kafka-bus.ts';
import type { KafkaSettings } from './kafka-client.ts';
import { startSilentRelay, type SilentRelay } from './testing/silent-relay.ts';
import { until } from './until.ts';

const [broker = ''] = (readEnvironment()['KAFKA_BROKERS'] ?? '').split(',');
const REQUEST_TIMEOUT_MS = 1_000;
const BACK_WITHIN_MS = 5_000;

jest.setTimeout(60_000);

let relay: SilentRelay;
const buses: Bus[] = [];
beforeEach(async () => {
  relay = await startSilentRelay(broker);
});
afterEach(async () => {
  // First, so a pending connection attempt ends at once.
  await relay.close();
  await Promise.all(buses.splice(0).map((bus) => bus.disconnect()));
});

function createBus(own: Partial<KafkaSettings> = {}): Bus {
  const bus = createKafkaBus({
    brokers: [relay.broker],
    clientId: `silent-test-${randomUUID()}`,
    logger: createRecordingLogger().logger,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 10_000,
    heartbeatIntervalMs: 200,
    handlerStallMs: 60_000,
    ...own,
  });
  buses.push(bus);
  return bus;
}

/** Connected without the relay. */
async function createTopic(): Promise<string> {
  const topic = `silent-${randomUUID()}`;
  await createBus({ brokers: [broker] }).admin.ensureTopics(
    [{ topic, partitions: 1, retentionMs: 3_600_000, recordBytesMax: 1024 * 1024 }],
    {
      replicationFactor: 1,
      minInsyncReplicas: 1,
    },
  );
  return topic;
}

test('a producer that started while the broker accepted connections and answered nothing works once it answers', async () => {
  const topic = await createTopic();
  const { logger, lines } = createRecordingLogger();
  relay.set('silent');

  const producer = await createBus({ logger }).producer();
  await until(() => lines.some(({ reason }) => /ApiVersions.* timed out/.test(String(reason))));
  relay.set('pass');

  await eventually(() => producer.produce(topic, [{ key: 'k', value: 'v' }]), {
    timeoutMs: BACK_WITHIN_MS,
  });
});

const SHORT_BOUNDS = {
  checkAfterMs: 1_000,
  checkEveryMs: 500,
  wedgedAfterMs: 4_000,
  reachableMs: 1_500,
  idleMs: 60_000,
};

test('a process whose producer keeps failing while a new client reaches the broker must end, once', async () => {
  const { logger, lines } = createRecordingLogger();
  const wedgedAt: number[] = [];
  relay.set('silent');
  const startedAt = performance.now();
  await createBus({
    logger,
    onWedged: () => void wedgedAt.push(performance.now() - startedAt),
    watchdogBounds: SHORT_BOUNDS,
  }).producer();
  await until(() => relay.openConnections() > 0);

  // Its connection is like one that a firewall dropped: open on this side, without responses.
  relay.set('old connections silent');
  await until(() => wedgedAt.length > 0, 40_000);

  expect(wedgedAt[0]).toBeGreaterThan(SHORT_BOUNDS.wedgedAfterMs);
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 'error',
      client: 'producer',
      msg: 'kafka client is wedged while a fresh one reaches the broker: ending the process',
    }),
  );
  expect(wedgedAt).toHaveLength(1);
  // The producer's own connections: new clients are closed.
  await eventually(() => expect(relay.openConnections()).toBe(1));
});

test('while the broker answers no client, a process keeps trying', async () => {
  const { logger, lines } = createRecordingLogger();
  let wedged = 0;
  relay.set('silent');

  await createBus({
    logger,
    onWedged: () => void (wedged += 1),
    watchdogBounds: SHORT_BOUNDS,
  }).producer();
  await until(async () => (await failedChecks()) > 0, 50_000);

  expect(wedged).toBe(0);
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  await eventually(() => expect(relay.openConnections()).toBe(1));
});

/** Of this process so far. */
async function failedChecks(): Promise<number> {
  const line = (await metricsRegistry.metrics())
    .split('\n')
    .find((one) => one.startsWith('tidings_bus_fresh_client_checks_total{result="failed"}'));
  return Number(line?.split(' ').at(-1) ?? 0);
}
