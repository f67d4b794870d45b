import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { claimLeases, joinGroup } from '@tidings/partitioned-log/members';
import { readTopic } from '@tidings/partitioned-log/topics';
import { createLogger, readEnvironment } from '@tidings/platform';
import { connectTestDatabase, createRecordingLogger } from '@tidings/testing';
import { testBus } from './bus.conformance.ts';
import type { Bus, Consumer, RecordBatch } from './bus.ts';
import { Heads } from './heads.ts';
import { createPostgresBus, type PostgresBusSettings } from './postgres-bus.ts';
import { readPartition } from './postgres-partition.ts';
import { createSlots } from './slots.ts';
import { until } from './until.ts';

jest.setTimeout(30_000);

const databaseUrl = readEnvironment()['DATABASE_URL'] ?? '';
const db = connectTestDatabase();
const buses: Bus[] = [];
const consumers: Consumer[] = [];
afterEach(async () => {
  for (const consumer of consumers.splice(0)) await consumer.stop();
  for (const bus of buses.splice(0)) await bus.disconnect();
});
afterAll(() => db.close());

function createBus(own: Partial<PostgresBusSettings> = {}): Bus {
  return createPostgresBus({
    databaseUrl,
    applicationName: 'bus-test',
    logger: createLogger('bus-test', 'error'),
    requestTimeoutMs: 5_000,
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 10_000,
    heartbeatIntervalMs: 500,
    handlerStallMs: 60_000,
    ...own,
  });
}

/** A bus that ends with the test. */
function openBus(own: Partial<PostgresBusSettings> = {}): Bus {
  const bus = createBus(own);
  buses.push(bus);
  return bus;
}

async function createTopic(bus: Bus, partitions = 1): Promise<string> {
  const topic = `postgres-${randomUUID()}`;
  const spec = { topic, partitions, retentionMs: 3_600_000, recordBytesMax: 1024 * 1024 };
  await bus.admin.ensureTopics([spec], { replicationFactor: 1, minInsyncReplicas: 1 });
  return topic;
}

async function produce(bus: Bus, topic: string, ...texts: readonly string[]): Promise<void> {
  const producer = await bus.producer();
  await producer.produce(
    topic,
    texts.map((value) => ({ key: 'k', value })),
  );
}

/** The values that a new consumer reads, as they come. */
async function readValues(bus: Bus, topic: string, group: string = randomUUID()) {
  const seen: string[] = [];
  consumers.push(
    await bus.consume({
      group,
      topics: [topic],
      handleBatch: async ({ records }) =>
        void seen.push(...records.map(({ value }) => value.toString())),
    }),
  );
  return seen;
}

/** As retention does: the records up to the offset `last` are gone. */
async function dropRecords(topic: string, last: number): Promise<void> {
  for (const table of ['log_blocks_0', 'log_blocks_1', 'log_blocks_2'])
    await db.sql.query(
      `delete from ${table} where last <= $2 and topic_id = (select id from log_topics where topic = $1)`,
      [topic, last],
    );
}

// Topics are rows of the test's own database.
testBus(
  'the Postgres bus',
  () => createBus(),
  () => Promise.resolve(),
);

test('while Postgres is unreachable a consumer starts, keeps trying, is alive, and stops', async () => {
  const { logger, lines } = createRecordingLogger();
  // A closed port.
  const bus = openBus({ databaseUrl: 'postgres://127.0.0.1:1/none', logger });

  const consumer = await bus.consume({
    group: randomUUID(),
    topics: ['any'],
    handleBatch: () => Promise.resolve(),
  });
  consumers.push(consumer);
  const isRetrying = 'the membership cannot be renewed, retrying';
  await until(() => lines.some(({ msg }) => msg === isRetrying));

  expect(consumer.isAlive()).toBe(true);
});

test('a group is not joined without its topics', async () => {
  const bus = openBus();

  await expect(
    bus.consume({
      group: randomUUID(),
      topics: [`missing-${randomUUID()}`],
      handleBatch: () => Promise.resolve(),
    }),
  ).rejects.toThrow('there is no topic');
});

test('processes wake each other', async () => {
  const [writing, reading] = [openBus(), openBus()];
  const topic = await createTopic(writing);
  const seen = await readValues(reading, topic);

  for (const text of ['0', '1', '2']) {
    await produce(writing, topic, text);
    await until(() => seen.at(-1) === text);
  }

  expect(seen).toEqual(['0', '1', '2']);
});

test('a member that was taken for dead cannot commit; it joins again and reads the records again', async () => {
  const bus = openBus();
  const topic = await createTopic(bus);
  const group = randomUUID();
  await produce(bus, topic, '0', '1');
  const held: RecordBatch[] = [];
  let isFree = false;
  consumers.push(
    await bus.consume({
      group,
      topics: [topic],
      async handleBatch(batch) {
        held.push(batch);
        if (!isFree)
          await new Promise((resolve) =>
            batch.signal.addEventListener('abort', resolve, { once: true }),
          );
        batch.signal.throwIfAborted();
      },
    }),
  );
  await until(() => held.length === 1);

  // As another member does after the lease of this one.
  await db.sql.query('delete from log_members where grp = $1', [group]);
  await db.sql.query(
    'update log_leases set owner = gen_random_uuid(), fence = fence + 1 where grp = $1',
    [group],
  );
  const late = held[0]?.resolve(1n);
  isFree = true;

  await expect(late).rejects.toThrow('no longer assigned');
  await until(async () => (await bus.admin.committedOffsets(group, topic)).get(0) === 2n);
  expect(held[0]?.signal.aborted).toBe(true);
  expect(held[1]?.records).toHaveLength(2);
});

test('records are gathered for a while', async () => {
  const bus = openBus();
  const topic = await createTopic(bus);
  const sizes: number[] = [];
  consumers.push(
    await bus.consume({
      group: randomUUID(),
      topics: [topic],
      gather: { bytes: 1024 * 1024, waitMs: 1_000 },
      handleBatch: async ({ records }) => void sizes.push(records.length),
    }),
  );

  for (let n = 0; n < 20; n += 1) await produce(bus, topic, String(n));
  await until(() => sizes.reduce((sum, size) => sum + size, 0) === 20);

  expect(sizes.length).toBeLessThan(10);
});

test('a group goes on behind records that retention dropped', async () => {
  const bus = openBus();
  const topic = await createTopic(bus);
  await produce(bus, topic, '0', '1');
  await produce(bus, topic, '2');
  await dropRecords(topic, 1);

  const seen = await readValues(bus, topic);
  await until(() => seen.length > 0);

  expect(seen).toEqual(['2']);
});

class WatchedHeads extends Heads {
  /** The ends that were waited for. */
  readonly waits: bigint[] = [];

  override reached(...args: Parameters<Heads['reached']>): Promise<void> {
    this.waits.push(args[1]);
    return super.reached(...args);
  }
}

test('where retention dropped all records, a reader waits for the next one', async () => {
  const bus = openBus();
  const topic = await createTopic(bus);
  await produce(bus, topic, '0', '1');
  await dropRecords(topic, 1);
  const { topicId = 0 } = (await readTopic(db.sql, topic)) ?? {};
  const owned = { topicId, part: 0, fence: 1n, committed: null };
  const heads = new WatchedHeads();
  heads.advance(owned, 2n);
  const ending = new AbortController();
  const unexpected = (): never => {
    throw new Error('there is nothing to handle');
  };

  const reading = readPartition(
    {
      sql: db.sql,
      heads,
      logger: createLogger('bus-test', 'error'),
      member: { group: randomUUID(), member: randomUUID() },
      onLost: unexpected,
      gather: undefined,
      runOptions: {
        group: 'none',
        slots: createSlots(1),
        backoff: { baseMs: 1, capMs: 1 },
        handle: unexpected,
        onProgress: unexpected,
        onFailure: unexpected,
      },
    },
    { topic, owned, lease: { signal: ending.signal, isLost: () => false } },
  );
  await until(() => heads.waits.length > 0);
  ending.abort();
  await reading;

  // Behind the two that are gone, not for what it will not find.
  expect(heads.waits).toEqual([3n]);
});

test('a lost membership is found by the first commit, and is no failure of the handler', async () => {
  const { logger, lines } = createRecordingLogger();
  // The lease is long, so only the commit can tell.
  const bus = openBus({ logger, heartbeatIntervalMs: 60_000, sessionTimeoutMs: 180_000 });
  const topic = await createTopic(bus);
  const group = randomUUID();
  let calls = 0;
  consumers.push(
    await bus.consume({
      group,
      topics: [topic],
      async handleBatch() {
        calls += 1;
        // As Postgres does in a crash.
        if (calls === 1) await db.sql.query('delete from log_members where grp = $1', [group]);
      },
    }),
  );

  await produce(bus, topic, '0');
  await until(async () => (await bus.admin.committedOffsets(group, topic)).get(0) === 1n);

  expect(calls).toBe(2);
  expect(lines.filter(({ msg }) => msg === 'batch failed, retrying')).toEqual([]);
});

/** A member that the test plays, with one partition of the topic. */
async function joinAsOther(group: string, topic: string, part: number) {
  const { topicId = 0 } = (await readTopic(db.sql, topic)) ?? {};
  // The first in the order of members.
  const member = '00000000-0000-0000-0000-000000000000';
  const join = (topicIds: readonly number[]): Promise<bigint> =>
    joinGroup(db, { group, member, topicIds }, 600_000);
  const generation = await join([topicId]);
  const shares = [{ topicId, part }];
  await claimLeases(db, { group, member }, { shares, generation, rebalanceTimeoutMs: 600_000 });
  return { member, join };
}

test('members that a failover brought to an earlier generation share the partitions anew', async () => {
  const bus = openBus();
  const topic = await createTopic(bus);
  const group = randomUUID();
  await produce(bus, topic, '0');
  await joinAsOther(group, topic, 0);
  const seen = await readValues(bus, topic, group);

  // The other one is dead, and Postgres has lost that the consumer joined.
  await db.transaction(async (sql) => {
    await sql.query('delete from log_members where grp = $1', [group]);
    await sql.query('update log_groups set generation = generation - 1 where grp = $1', [group]);
  });
  await until(() => seen.length > 0);

  expect(seen).toEqual(['0']);
});

test('a consumer that stops begins no partition that it was about to get', async () => {
  const bus = openBus({ rebalanceTimeoutMs: 600_000 });
  const topic = await createTopic(bus, 2);
  const group = randomUUID();
  const producer = await bus.producer();
  const keys = Array.from({ length: 20 }, (_, n) => `key-${n}`);
  await producer.produce(
    topic,
    keys.map((key) => ({ key, value: key })),
  );
  const other = await joinAsOther(group, topic, 1);
  // It reads no topic any more, and has not given its partition back.
  await other.join([]);
  const begun: number[] = [];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const consumer = await bus.consume({
    group,
    topics: [topic],
    async handleBatch({ partition }) {
      begun.push(partition);
      await held;
    },
  });
  await until(() => begun.length === 1);

  let stopping: Promise<void> | undefined;
  await db.transaction(async (sql) => {
    await sql.query('select from log_groups where grp = $1 for update', [group]);
    await sql.query('update log_leases set owner = null where grp = $1 and owner = $2', [
      group,
      other.member,
    ]);
    // The consumer claims the partition.
    await until(async () => {
      const { rows } = await db.sql.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and application_name = 'bus-test'",
      );
      return rows.length > 0;
    });
    stopping = consumer.stop();
  });
  // Long enough to begin it.
  await delay(500);
  release();
  await stopping;

  expect(begun).toEqual([0]);
});
