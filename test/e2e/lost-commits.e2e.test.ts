import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { busConfig, openBus, type Bus } from '@tidings/bus';
import { prepareStores, startStack, type Stack } from '@tidings/local';
import { createLogger, loadConfig } from '@tidings/platform';
import { connectDatabase } from '@tidings/postgres/database';
import { createRelay, eventually, type Relay } from '@tidings/testing';
import { makeTestHome } from '@tidings/tools/stack/test-home';
import { addStoppedStandby } from './support/standby.ts';

const NAME = 'lost-commits';
const PARTITIONS = 3;
const RECORDS = 50;
const LATE = { timeoutMs: 60_000 };

let stack: Stack;
let relay: Relay;
let bus: Bus;
let discard: () => void = () => undefined;
beforeAll(async () => {
  const home = await makeTestHome(NAME);
  discard = home.discard;
  stack = await startStack({
    home: home.home,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    isDurable: false,
    hasUsualPorts: false,
    has: { kafka: false, redis: false },
  });
  await prepareStores(stack, { logger: createLogger('test', 'error') });
  relay = await createRelay(stack.databaseUrl);
  bus = openBus(
    { ...loadConfig(busConfig, { BUS: 'postgres' }), databaseUrl: relay.url },
    { logger: createLogger('test', 'fatal'), service: NAME },
  );
}, 120_000);
afterAll(async () => {
  await bus?.disconnect();
  await relay?.close();
  await stack?.stop();
  discard();
}, 60_000);

function sumOf(offsets: Iterable<bigint>): bigint {
  return [...offsets].reduce((sum, offset) => sum + offset, 0n);
}

/** A topic with a group that reads it. */
async function readTopic() {
  const topic = `lost-${randomUUID()}`;
  const spec = {
    topic,
    partitions: PARTITIONS,
    retentionMs: 3_600_000,
    recordBytesMax: 1024 * 1024,
  };
  await bus.admin.ensureTopics([spec], { replicationFactor: 1, minInsyncReplicas: 1 });
  const producer = await bus.producer();
  const read = new Set<string>();
  const consumer = await bus.consume({
    group: topic,
    topics: [topic],
    handleBatch: async ({ records }) =>
      records.forEach(({ value }) => void read.add(value.toString())),
  });
  return {
    group: topic,
    stop: () => consumer.stop(),
    /** Commits follow what was read. An append without an answer may have been repeated. */
    untilCommitted: (records: number): Promise<void> =>
      eventually(async () => {
        const committed = sumOf((await bus.admin.committedOffsets(topic, topic)).values());
        const ends = [...(await bus.admin.topicOffsets(topic)).values()].map(({ high }) => high);
        expect(committed).toBe(sumOf(ends));
        expect(committed).toBeGreaterThanOrEqual(BigInt(records));
      }, LATE),
    /** Resolves when all records were read. */
    async produce(what: string): Promise<void> {
      const values = Array.from({ length: RECORDS }, (_, n) => `${what} ${n}`);
      for (const value of values) {
        // Callers repeat a batch that was answered 503.
        await eventually(() => producer.produce(topic, [{ key: value, value }]), LATE);
      }
      await eventually(() => {
        const missing = values.filter((value) => !read.has(value));
        if (missing.length > 0) throw new Error(`not read: ${missing.join(', ')}`);
      }, LATE);
    },
  };
}

async function untilJoined(group: string): Promise<void> {
  const db = connectDatabase({ databaseUrl: relay.url, poolMax: 1, applicationName: NAME });
  try {
    await eventually(async () => {
      const { rows } = await db.sql.query(
        'select from log_leases l join log_members m on m.grp = l.grp and m.member = l.owner where l.grp = $1',
        [group],
      );
      expect(rows).toHaveLength(PARTITIONS);
    }, LATE);
  } finally {
    await db.close();
  }
}

test('after a failover that lost commits, all records that follow are read', async () => {
  // One gets records before its group has noticed the failover, the other one after that.
  const [early, late] = [await readTopic(), await readTopic()];
  const both = [early, late];
  for (const topic of both) await topic.produce('before');
  const standby = await addStoppedStandby(stack);
  for (const topic of both) {
    await topic.produce('lost');
    await topic.untilCommitted(2 * RECORDS);
  }

  stack.parts.postgres?.kill('SIGKILL');
  await standby.start();
  await standby.promote();
  relay.redirect(standby.url);
  await early.produce('after');
  await untilJoined(late.group);
  await late.produce('after');

  // The offsets of the lost records were given to others.
  for (const topic of both) {
    await topic.untilCommitted(2 * RECORDS);
    await topic.stop();
  }
}, 180_000);
