/** @needs kafka */

import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import kafkajs, { type Admin } from 'kafkajs';
import { createLogger, readEnvironment } from '@tidings/platform';
import { createRecordingLogger, eventually } from '@tidings/testing';
import { testBus } from './bus.conformance.ts';
import type { Bus, BusRecord, Consumer } from './bus.ts';
import { createKafkaBus } from './kafka-bus.ts';
import type { KafkaSettings } from './kafka-client.ts';
import { until } from './until.ts';

const brokers = (readEnvironment()['KAFKA_BROKERS'] ?? '').split(',');
const admin: Admin = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING }).admin();
let consumer: Consumer | undefined;

// A group takes seconds to form if the broker waits for more members.
jest.setTimeout(30_000);

function createBus(own: Partial<KafkaSettings> = {}): Bus {
  return createKafkaBus({
    brokers,
    clientId: `bus-test-${randomUUID()}`,
    logger: createLogger('bus-test', 'error'),
    requestTimeoutMs: 5_000,
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 10_000,
    heartbeatIntervalMs: 200,
    handlerStallMs: 60_000,
    ...own,
  });
}

async function removeTopics(topics: readonly string[]): Promise<void> {
  await admin.deleteTopics({ topics: [...topics] });
}

beforeAll(() => admin.connect());
afterEach(async () => {
  await consumer?.stop();
  consumer = undefined;
});
afterAll(() => admin.disconnect());

testBus('the Kafka bus', () => createBus(), removeTopics);

test('while Kafka is unavailable a consumer starts, keeps trying, is alive, and stops', async () => {
  const { logger, lines } = createRecordingLogger();
  // A closed port.
  const bus = createBus({ brokers: ['127.0.0.1:1'], logger });

  consumer = await bus.consume({
    group: randomUUID(),
    topics: ['any'],
    handleBatch: () => Promise.resolve(),
  });
  // The client has given up once; an earlier stop would leave its attempts behind.
  await until(() => lines.some(({ msg }) => msg === 'kafka is unreachable, retrying'));
  const isAlive = consumer.isAlive();
  await consumer.stop();
  await bus.disconnect();

  expect(isAlive).toBe(true);
});

test('a group whose offset is beyond the end starts again from the beginning', async () => {
  const bus = createBus();
  const topic = `reset-${randomUUID()}`;
  const group = randomUUID();
  await bus.admin.ensureTopics(
    [{ topic, partitions: 1, retentionMs: 3_600_000, recordBytesMax: 1024 * 1024 }],
    {
      replicationFactor: 1,
      minInsyncReplicas: 1,
    },
  );
  await (await bus.producer()).produce(topic, [{ key: 'k', value: 'kept' }]);
  await admin.setOffsets({ groupId: group, topic, partitions: [{ partition: 0, offset: '1000' }] });
  const seen: string[] = [];

  consumer = await bus.consume({
    group,
    topics: [topic],
    handleBatch: async ({ records }) =>
      void seen.push(...records.map(({ value }) => value.toString())),
  });
  await until(() => seen.length > 0);

  expect(seen).toEqual(['kept']);
  await until(async () => (await bus.admin.committedOffsets(group, topic)).get(0) === 1n);
  await consumer.stop();
  await bus.disconnect();
  await removeTopics([topic]);
});

test('Kafka stores records of every shape, and they come back as they were', async () => {
  const bus = createBus();
  const topic = `shapes-${randomUUID()}`;
  await bus.admin.ensureTopics(
    [{ topic, partitions: 1, retentionMs: 3_600_000, recordBytesMax: 1024 * 1024 }],
    { replicationFactor: 1, minInsyncReplicas: 1 },
  );
  const contents = [
    '',
    'a',
    'x'.repeat(64),
    'x'.repeat(65),
    'größe 漢字 \u{1f600}',
    'é'.repeat(63),
    'y'.repeat(1_023),
    'y'.repeat(1_024),
    'z'.repeat(100_000),
  ];
  const records = contents.flatMap((content) => [
    { key: null, value: Buffer.from(content), headers: {} },
    { key: content, value: content, headers: { name: content, [content]: 'ß', empty: '' } },
  ]);
  const seen: BusRecord[] = [];
  await (await bus.producer()).produce(topic, records);

  consumer = await bus.consume({
    group: randomUUID(),
    topics: [topic],
    handleBatch: async (batch) => void seen.push(...batch.records),
  });
  await until(() => seen.length === records.length);

  const asTexts = ({ key, value, headers }: BusRecord | (typeof records)[number]) => ({
    key: key?.toString() ?? null,
    value: value.toString(),
    headers,
  });
  expect(seen.map(asTexts)).toEqual(records.map(asTexts));
  await consumer.stop();
  await bus.disconnect();
  await removeTopics([topic]);
});

test('ensuring topics brings settings in line and keeps those an operator has added', async () => {
  const bus = createBus();
  const spec = {
    topic: `settings-${randomUUID()}`,
    partitions: 1,
    retentionMs: 3_600_000,
    recordBytesMax: 1024 * 1024,
  };
  const replication = { replicationFactor: 1, minInsyncReplicas: 1 };
  const resource = { type: kafkajs.ConfigResourceTypes.TOPIC, name: spec.topic };
  await bus.admin.ensureTopics([spec], replication);
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ ...resource, configEntries: [{ name: 'segment.ms', value: '123456' }] }],
  });

  await bus.admin.ensureTopics([{ ...spec, retentionMs: 7_200_000 }], replication);

  const readSettings = async () => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [resource],
    });
    return new Map(
      resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]),
    );
  };
  // A broker learns a moment later what the controller acknowledged.
  await eventually(async () => expect((await readSettings()).get('retention.ms')).toBe('7200000'));
  const settings = await readSettings();
  expect(settings.get('max.message.bytes')).toBe(String(spec.recordBytesMax));
  expect(settings.get('unclean.leader.election.enable')).toBe('false');
  expect(settings.get('segment.ms')).toBe('123456');
  await bus.disconnect();
  await removeTopics([spec.topic]);
});
