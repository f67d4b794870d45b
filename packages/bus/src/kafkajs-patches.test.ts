import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import { createRecordingLogger } from '@tidings/testing';
import { createKafkaAdmin } from './kafka-admin.ts';
import { METADATA_MAX_AGE_MS } from './kafka-client.ts';

/** kafkajs has no types for its internals; each test declares what it uses. */
const inside = createRequire(import.meta.url);

const logger = { debug() {}, info() {}, warn() {}, error() {}, namespace: () => logger };

test('a retry sends again to a broker that has already answered (kafkajs 1303)', async () => {
  type Send = (batch: object) => Promise<readonly { readonly partition: number }[]>;
  const createSendMessages = inside('kafkajs/src/producer/sendMessages') as (
    options: object,
  ) => Send;
  const createRetry = inside('kafkajs/src/retry') as (options: object) => unknown;
  const stored: number[] = [];
  let leaderOfOne = 2;

  const broker = (nodeId: number): object => ({
    nodeId,
    async produce({
      topicData,
    }: {
      readonly topicData: readonly {
        readonly partitions: readonly { readonly partition: number }[];
      }[];
    }) {
      if (nodeId === 2) {
        // The leader of partition 1 moves to the broker that has already answered for partition 0.
        await turn();
        leaderOfOne = 1;
        throw Object.assign(new Error('not the leader'), {
          name: 'KafkaJSProtocolError',
          type: 'NOT_LEADER_FOR_PARTITION',
          retriable: true,
        });
      }
      const partitions = topicData.flatMap((topic) =>
        topic.partitions.map(({ partition }) => ({ partition, errorCode: 0, baseOffset: '0' })),
      );
      stored.push(...partitions.map(({ partition }) => partition));
      return { topics: [{ topicName: 't', partitions }] };
    },
  });
  const brokers: Record<string, object> = { 1: broker(1), 2: broker(2) };
  const send = createSendMessages({
    logger,
    retrier: createRetry({ initialRetryTime: 1, retries: 3 }),
    partitioner: ({ message }: { readonly message: { readonly partition: number } }) =>
      message.partition,
    eosManager: {
      acquireBrokerLock() {},
      releaseBrokerLock() {},
      isTransactional: () => false,
      getSequence: () => 0,
      updateSequence() {},
      getTransactionalId() {},
      getProducerId: () => -1,
      getProducerEpoch: () => 0,
    },
    cluster: {
      targetTopics: new Set(),
      addMultipleTargetTopics: () => Promise.resolve(),
      refreshMetadataIfNecessary: () => Promise.resolve(),
      refreshMetadata: () => Promise.resolve(),
      isConnected: () => true,
      findTopicPartitionMetadata: () => [{ partitionId: 0 }, { partitionId: 1 }],
      findLeaderForPartitions: () => (leaderOfOne === 1 ? { 1: [0, 1] } : { 1: [0], 2: [1] }),
      findBroker: ({ nodeId }: { readonly nodeId: string }) => Promise.resolve(brokers[nodeId]),
    },
  });

  const answers = await send({
    acks: -1,
    topicMessages: [
      { topic: 't', messages: [0, 1].map((partition) => ({ partition, value: 'v' })) },
    ],
  });

  expect(stored).toContain(1);
  expect(answers.map(({ partition }) => partition).toSorted()).toEqual([0, 1]);
});

test('an idle connection schedules no timer (kafkajs 1556)', () => {
  type RequestQueue = { checkPendingRequests(): void; readonly throttleCheckTimeoutId: unknown };
  const Queue = inside('kafkajs/src/network/requestQueue') as new (options: object) => RequestQueue;
  const queue = new Queue({
    maxInFlightRequests: null,
    requestTimeout: 1_000,
    clientId: 'c',
    broker: 'b',
    logger,
  });

  queue.checkPendingRequests();

  expect(queue.throttleCheckTimeoutId).toBeNull();
});

test('a broker that did not answer ApiVersions is asked again: its open connection alone is no connection', async () => {
  type Broker = { connect(): Promise<void>; isConnected(): boolean };
  const KafkaBroker = inside('kafkajs/src/broker') as new (options: object) => Broker;
  const asked: number[] = [];
  let isOpen = false;
  const connectionPool = {
    host: 'h',
    port: 1,
    connectionTimeout: 1_000,
    sasl: undefined,
    isConnected: () => isOpen,
    getConnection() {
      isOpen = true;
      return Promise.resolve({
        getSupportAuthenticationProtocol: () => false,
        authenticate: () => Promise.resolve(),
      });
    },
    setVersions() {},
    send() {
      asked.push(asked.length);
      return asked.length === 1
        ? Promise.reject(
            Object.assign(new Error('Request ApiVersions timed out'), {
              name: 'KafkaJSRequestTimeoutError',
            }),
          )
        : Promise.resolve({ apiVersions: [{ apiKey: 3, minVersion: 0, maxVersion: 6 }] });
    },
  };
  const broker = new KafkaBroker({ connectionPool, logger });

  await expect(broker.connect()).rejects.toThrow('ApiVersions timed out');
  const afterTheTimeout = broker.isConnected();
  await broker.connect();

  expect(afterTheTimeout).toBe(false);
  expect(asked).toHaveLength(2);
  expect(broker.isConnected()).toBe(true);
});

test.each([
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSBrokerNotFound',
  'KafkaJSRequestTimeoutError',
  'KafkaJSNumberOfRetriesExceeded',
])('a consumer that meets %s joins again as the same member', async (name) => {
  type Runner = {
    start(): Promise<void>;
    running: boolean;
    fetchManager: { start(): Promise<void> };
  };
  const KafkaRunner = inside('kafkajs/src/consumer/runner') as new (options: object) => Runner;
  const joinedAs: (string | null)[] = [];
  const crashes: unknown[] = [];
  const consumerGroup = {
    memberId: 'member-1',
    hasJoined: true,
    connect: () => Promise.resolve(),
    joinAndSync: () => Promise.resolve(joinedAs.push(consumerGroup.memberId)),
    getNodeIds: () => [],
  };
  const runner = new KafkaRunner({
    logger,
    consumerGroup,
    concurrency: 1,
    retry: { retries: 0 },
    onCrash: (error: unknown) => crashes.push(error),
  });
  const isEnded = new Promise<void>((resolve) => {
    runner.fetchManager = {
      async start() {
        if (joinedAs.length === 1)
          throw Object.assign(new Error('gone'), { name, retriable: false });
        runner.running = false;
        resolve();
      },
    };
  });

  await runner.start();
  await isEnded;

  expect(joinedAs).toEqual(['member-1', 'member-1']);
  expect(crashes).toEqual([]);
});

test('a consumer that could not join again fetches nothing until it has', async () => {
  type Runner = {
    start(): Promise<void>;
    running: boolean;
    fetchManager: { start(): Promise<void> };
  };
  type Group = {
    memberId: string | null;
    connect(): Promise<void>;
    joinAndSync(): Promise<void>;
  };
  const KafkaRunner = inside('kafkajs/src/consumer/runner') as new (options: object) => Runner;
  const ConsumerGroup = inside('kafkajs/src/consumer/consumerGroup') as new (
    options: object,
  ) => Group;
  const { KafkaJSGroupCoordinatorNotFound } = inside('kafkajs') as {
    KafkaJSGroupCoordinatorNotFound: new (message: string) => Error;
  };
  const steps: string[] = [];
  const crashes: unknown[] = [];
  const coordinator = {
    joinGroup: () =>
      Promise.resolve({ memberId: `member-${steps.length}`, leaderId: 'l', members: [] }),
    syncGroup: () => Promise.resolve({ memberAssignment: Buffer.alloc(0) }),
  };
  const consumerGroup = new ConsumerGroup({
    logger,
    groupId: 'g',
    topics: [],
    assigners: [],
    instrumentationEmitter: { emit: () => undefined },
    retry: { retries: 0 },
    cluster: {
      committedOffsets: () => ({}),
      async findGroupCoordinator() {
        steps.push('looks for the coordinator');
        if (steps.length === 3 || steps.length === 4)
          throw new KafkaJSGroupCoordinatorNotFound('Failed to find group coordinator');
        return coordinator;
      },
    },
  });
  consumerGroup.connect = () => Promise.resolve();
  const ended = Promise.withResolvers<void>();
  const runner = new KafkaRunner({
    logger,
    consumerGroup,
    concurrency: 1,
    retry: { initialRetryTime: 1, retries: 3 },
    onCrash(error: unknown) {
      crashes.push(error);
      ended.resolve();
    },
  });
  runner.fetchManager = {
    async start() {
      steps.push(`fetches as ${consumerGroup.memberId}`);
      if (steps.length === 2)
        throw Object.assign(new Error('unknown member'), { type: 'UNKNOWN_MEMBER_ID' });
      runner.running = false;
      ended.resolve();
    },
  };

  await runner.start();
  await ended.promise;

  expect(steps).toEqual([
    'looks for the coordinator',
    'fetches as member-1',
    'looks for the coordinator',
    'looks for the coordinator',
    'looks for the coordinator',
    'fetches as member-5',
  ]);
  expect(crashes).toEqual([]);
});

test('a group coordinator that is not found at once may be looked for again (kafkajs 1445, 1513)', () => {
  const { KafkaJSGroupCoordinatorNotFound } = inside('kafkajs') as {
    KafkaJSGroupCoordinatorNotFound: new (message: string) => { readonly retriable: boolean };
  };

  expect(new KafkaJSGroupCoordinatorNotFound('not found').retriable).toBe(true);
});

test('the checksum of a batch is right, and native: in plain JavaScript it cost a fifth of the CPU of a large produce', () => {
  const checksum = inside('kafkajs/src/protocol/recordBatch/crc32C') as (buffer: Buffer) => number;
  const source = readFileSync(
    inside.resolve('kafkajs/src/protocol/recordBatch/crc32C/index.js'),
    'utf8',
  );

  // The check value of CRC-32C (RFC 3720, appendix B.4 uses the same polynomial).
  expect(checksum(Buffer.from('123456789'))).toBe(0xe306_9283);
  expect(checksum(Buffer.alloc(0))).toBe(0);
  expect(source).toContain('@node-rs/crc32');
});

test('a batch holds large values by reference; no layer copies them', async () => {
  type Encoder = { readonly buffer: Buffer; readonly parts: readonly unknown[]; size(): number };
  const { RecordBatch } = inside('kafkajs/src/protocol/recordBatch/v0') as {
    RecordBatch: (batch: object) => Promise<Encoder>;
  };
  const Record = inside('kafkajs/src/protocol/recordBatch/record/v0') as (
    record: object,
  ) => Encoder;
  const decode = inside('kafkajs/src/protocol/recordBatch/v0/decoder') as (
    decoder: object,
  ) => Promise<{ readonly records: readonly { readonly value: Buffer }[] }>;
  const Decoder = inside('kafkajs/src/protocol/decoder') as new (buffer: Buffer) => object;
  const checksum = inside('kafkajs/src/protocol/recordBatch/crc32C') as (buffer: Buffer) => number;
  const values = [100, 5_000, 0, 1_024, 70_000].map((bytes, index) =>
    Buffer.alloc(bytes, String(index)),
  );

  const batch = await RecordBatch({
    records: values.map((value, offsetDelta) =>
      Record({ offsetDelta, timestampDelta: 0, key: 'k', value, headers: {} }),
    ),
  });

  expect(values.filter((value) => batch.parts.includes(value))).toEqual(
    values.filter((value) => value.length >= 1_024),
  );
  const bytes = batch.buffer;
  const [LENGTH_AT, CHECKSUM_AT, BODY_AT] = [8, 17, 21];
  expect(bytes).toHaveLength(batch.size());
  expect(bytes.readInt32BE(LENGTH_AT)).toBe(bytes.length - LENGTH_AT - 4);
  expect(bytes.readUInt32BE(CHECKSUM_AT)).toBe(checksum(bytes.subarray(BODY_AT)));
  const { records } = await decode(new Decoder(bytes));
  expect(records.map(({ value }) => value)).toEqual(values);
});

/** The maximum wait of each fetch of a consumer group. */
function fetching({ minBytes }: { readonly minBytes: number }) {
  type Group = {
    fetch(nodeId: string): Promise<unknown>;
    offsetManager: object;
    readonly subscriptionState: Record<'assign' | 'pause' | 'resume', (partitions: object) => void>;
  };
  const ConsumerGroup = inside('kafkajs/src/consumer/consumerGroup') as new (
    options: object,
  ) => Group;
  const waits: number[] = [];
  const broker = {
    fetch({ maxWaitTime }: { readonly maxWaitTime: number }) {
      waits.push(maxWaitTime);
      return Promise.resolve({ responses: [] });
    },
  };
  const cluster = {
    refreshMetadataIfNecessary: () => Promise.resolve(),
    findLeaderForPartitions: (_topic: string, partitions: readonly number[]) => ({
      1: partitions.filter((partition) => partition < 2),
      2: partitions.filter((partition) => partition === 2),
    }),
    findTopicPartitionMetadata: () =>
      [0, 1, 2].map((partitionId) => ({
        partitionId,
        leader: partitionId < 2 ? 1 : 2,
        replicas: [1, 2],
      })),
    findBroker: () => Promise.resolve(broker),
  };
  const group = new ConsumerGroup({
    logger,
    cluster,
    groupId: 'g',
    topics: ['t'],
    minBytes,
    maxWaitTimeInMs: 300,
  });
  group.offsetManager = {
    committedOffsets: () => ({ t: { 0: '0', 1: '0', 2: '0' } }),
    nextOffset: () => 0n,
    resolveOffsets: () => Promise.resolve(),
  };
  group.subscriptionState.assign([{ topic: 't', partitions: [0, 1, 2] }]);

  async function fetch(): Promise<number | undefined> {
    // Without partitions to fetch it waits by itself.
    const timer = jest.spyOn(globalThis, 'setTimeout').mockImplementation((done, ms) => {
      waits.push(Number(ms));
      return setImmediate(done) as unknown as NodeJS.Timeout;
    });
    await group.fetch('1').finally(() => timer.mockRestore());
    return waits.at(-1);
  }
  const change = (what: 'pause' | 'resume', partitions: readonly number[]): void =>
    group.subscriptionState[what]([{ topic: 't', partitions }]);
  return { fetch, change };
}

test.each([
  [
    'short while a partition is paused, which is to be read as soon as it is resumed',
    { minBytes: 1, paused: [1] },
    20,
  ],
  ['short while all of them are', { minBytes: 1, paused: [0, 1] }, 20],
  ['as long as asked for while none is', { minBytes: 1, paused: [] }, 300],
  [
    'as long as asked for while only those of another broker are',
    { minBytes: 1, paused: [2] },
    300,
  ],
  [
    'as long as asked for where it waits for so much to be there',
    { minBytes: 10_000, paused: [1] },
    300,
  ],
])('a poll is %s', async (_name, { minBytes, paused }, expected) => {
  const { fetch, change } = fetching({ minBytes });
  change('pause', paused);

  expect(await fetch()).toBe(expected);
});

test('beside what has been paused for long a poll is longer, up to a bound, as long as nothing else was paused a moment ago', async () => {
  const { fetch, change } = fetching({ minBytes: 1 });
  const now = jest.spyOn(Date, 'now').mockReturnValue(1_000_000);
  const later = async (ms: number): Promise<number | undefined> => {
    now.mockReturnValue(Date.now() + ms);
    return fetch();
  };
  change('pause', [0]);

  const polls = [await fetch(), await later(40), await later(160), await later(1_000)];
  change('pause', [1]);
  polls.push(await later(0), await later(200));
  change('resume', [0]);
  polls.push(await later(0));
  change('pause', [0]);
  polls.push(await later(0));
  now.mockRestore();

  expect(polls).toEqual([20, 20, 50, 100, 20, 50, 50, 20]);
});

test('reading offsets requests metadata no more often than a producer', async () => {
  type Inside = { readonly metadataMaxAge: number };
  const BrokerPool = inside('kafkajs/src/cluster/brokerPool') as {
    readonly prototype: Record<
      'connect' | 'refreshMetadata' | 'refreshMetadataIfNecessary',
      (this: Inside) => Promise<void>
    >;
  };
  const ages: number[] = [];
  const spies = [
    jest.spyOn(BrokerPool.prototype, 'connect').mockResolvedValue(),
    jest.spyOn(BrokerPool.prototype, 'refreshMetadata').mockResolvedValue(),
    jest.spyOn(BrokerPool.prototype, 'refreshMetadataIfNecessary').mockImplementation(function note(
      this: Inside,
    ) {
      ages.push(this.metadataMaxAge);
      return Promise.reject(
        Object.assign(new Error('enough'), { retriable: false, name: 'KafkaJSNonRetriableError' }),
      );
    }),
  ];
  const { logger } = createRecordingLogger();
  const times = {
    requestTimeoutMs: 1_000,
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 10_000,
    heartbeatIntervalMs: 1_000,
    handlerStallMs: 10_000,
  };
  const admin = createKafkaAdmin({ brokers: ['127.0.0.1:1'], clientId: 'test', logger, ...times });

  await admin.topicOffsets('t').catch(() => undefined);
  await admin.disconnect();
  for (const spy of spies) spy.mockRestore();

  expect(ages).toEqual([METADATA_MAX_AGE_MS]);
});
