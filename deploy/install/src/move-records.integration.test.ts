/** @needs kafka */

import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import {
  BusRejectedError,
  busConfig,
  openBus,
  OtherBusError,
  type Bus,
  type Producer,
} from '@tidings/bus';
import { AUTOMATIONS_GROUP } from '@tidings/contracts/topics';
import { createCursors, lockCursor, moveCursor } from '@tidings/partitioned-log/cursors';
import { createShared, loadConfig, readEnvironment, systemIds } from '@tidings/platform';
import {
  chooseBus,
  readBusState,
  setAccepting,
  type BusKind,
} from '@tidings/partitioned-log/state';
import type { Database } from '@tidings/postgres/database';
import { appendChanges, readUserChangesTopic, shardOf } from '@tidings/user-changes/changes';
import {
  changesOf,
  createOwnDatabase,
  createRecordingLogger,
  createSendingCampaign,
  eventually,
} from '@tidings/testing';
import { moveRecords, type Records } from './move-records.ts';

jest.setTimeout(90_000);

const TOPIC = `moved-${systemIds.uuid()}`;
const GROUP = `mover-${systemIds.uuid()}`;
const SPEC = { topic: TOPIC, partitions: 2, retentionMs: 3_600_000, recordBytesMax: 1024 * 1024 };
const RECORDS: Records = {
  topics: [SPEC],
  groups: [{ group: GROUP, topics: [TOPIC] }],
  drained: [TOPIC],
};
const REPLICATION = { replicationFactor: 1, minInsyncReplicas: 1 };
const TIMES = { drainMs: 20_000, noticeMs: 1_000, replication: REPLICATION };
const { logger } = createRecordingLogger();

let db: Database;
let databaseUrl: string;
const open: Bus[] = [];

beforeAll(async () => {
  db = await createOwnDatabase();
  const { rows } = await db.sql.query<{ name: string }>('select current_database() as name');
  const url = new URL(readEnvironment()['DATABASE_URL'] ?? '');
  url.pathname = rows[0]?.name ?? '';
  databaseUrl = url.href;
  await chooseBus(db.sql, 'postgres');
  for (const bus of [busOf('postgres'), busOf('kafka')])
    await bus.admin.ensureTopics([SPEC], REPLICATION);
});
afterEach(async () => {
  for (const bus of open.splice(0)) await bus.disconnect();
});
afterAll(() => db.close());

/** The bus of a process. `onMoved` is called after a move: the process must end. */
function busOf(bus: BusKind, onMoved?: () => void): Bus {
  const config = loadConfig(busConfig, { ...readEnvironment(), BUS: bus });
  const opened = openBus(
    { ...config, databaseUrl },
    {
      logger,
      service: 'test',
      shared: createShared(),
      ...(onMoved !== undefined && { db, onBroken: onMoved }),
    },
  );
  open.push(opened);
  return opened;
}

const buses = () => ({ kafka: busOf('kafka'), postgres: busOf('postgres') });

/** A process that writes and reads until the installation has moved; the test then starts another. */
function startProcess(bus: BusKind, seen: string[]) {
  const moved = Promise.withResolvers<void>();
  const own = busOf(bus, () => moved.resolve());
  const running = own.consume({
    group: GROUP,
    topics: [TOPIC],
    handleBatch: async ({ records }) =>
      void seen.push(...records.map(({ value }) => value.toString())),
  });
  return {
    moved: moved.promise,
    producer: () => own.producer(),
    async end(): Promise<void> {
      await (await running).stop();
      open.splice(open.indexOf(own), 1);
      await own.disconnect();
    },
  };
}

/** Writes a record every few milliseconds, and again until it is acknowledged. */
function startLoad(producerOf: () => Promise<Producer>, written: string[]) {
  let isOver = false;
  const running = (async () => {
    for (let n = written.length; !isOver; n += 1) {
      const value = String(n);
      for (;;) {
        try {
          await (await producerOf()).produce(TOPIC, [{ key: value, value }]);
          break;
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
      written.push(value);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return {
    async stop(): Promise<void> {
      isOver = true;
      await running;
    },
  };
}

/** Appends changes of a user every few milliseconds. A log that is closed for them ends it. */
function startChanges(userId: string) {
  let isOver = false;
  const running = (async () => {
    for (let appended = 0; ; appended += 1) {
      if (isOver) return appended;
      await db.transaction((sql) => appendChanges(sql, [{ kind: 'profile', userId }]));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  running.catch(() => undefined);
  return {
    stop(): Promise<number> {
      isOver = true;
      return running;
    },
  };
}

test('records move to Kafka and back under load: none is lost, none is read twice; changes of users stay where they are', async () => {
  const userId = systemIds.uuid();
  const { topicId } = await readUserChangesTopic(db.sql);
  const cursor = { group: AUTOMATIONS_GROUP, topicId, part: shardOf(userId) };
  await createCursors(db.sql, cursor);
  await moveCursor(db.sql, cursor, 3n);
  const changes = startChanges(userId);
  const seen: string[] = [];
  const written: string[] = [];
  let current = startProcess('postgres', seen);
  const load = startLoad(() => current.producer(), written);
  const { campaignId } = await createSendingCampaign(db);
  const announce = () =>
    db.sql.query(
      'update campaign_chunks set announced_partition = 1, announced_offset = 7 where campaign_id = $1',
      [campaignId],
    );

  for (const to of ['kafka', 'postgres'] as const) {
    const before = written.length;
    await eventually(() => expect(written.length).toBeGreaterThan(before + 50), {
      timeoutMs: 20_000,
    });
    await announce();
    await moveRecords({ to, records: RECORDS, db, buses: buses(), logger, ...TIMES });
    await current.moved;
    await current.end();
    current = startProcess(to, seen);
    expect(await readBusState(db.sql)).toEqual({ bus: to, isAccepting: true });
    const { rows } = await db.sql.query(
      'select announced_partition, announced_offset from campaign_chunks where campaign_id = $1',
      [campaignId],
    );
    expect(rows).toEqual([{ announced_partition: null, announced_offset: null }]);
  }
  const last = written.length;
  await eventually(() => expect(written.length).toBeGreaterThan(last + 50), { timeoutMs: 20_000 });
  await load.stop();
  await eventually(() => expect(seen.length).toBeGreaterThanOrEqual(written.length), {
    timeoutMs: 20_000,
  });
  await current.end();

  expect(seen.toSorted()).toEqual(written.toSorted());
  const appended = await changes.stop();
  expect(appended).toBeGreaterThan(50);
  expect(await changesOf(db, userId)).toHaveLength(appended);
  expect(await db.transaction((sql) => lockCursor(sql, cursor))).toBe(3n);
});

test('Kafka refuses what a process sends that was frozen during the move back', async () => {
  // It does not look where the records are.
  const producer = await busOf('kafka').producer();
  const send = () => producer.produce(TOPIC, [{ key: 'k', value: 'late' }]);

  await expect(send()).rejects.toBeInstanceOf(BusRejectedError);
});

test('a process on the other bus does not start, and takes no records', async () => {
  const process = busOf('kafka', () => undefined);

  await expect(
    process.consume({ group: GROUP, topics: [TOPIC], handleBatch: () => Promise.resolve() }),
  ).rejects.toBeInstanceOf(OtherBusError);
  const producer = await process.producer();
  await eventually(() =>
    expect(producer.produce(TOPIC, [{ key: 'k', value: 'v' }])).rejects.toThrow('being moved'),
  );
});

test('a move ends if records stay unread, and the installation continues', async () => {
  const own = busOf('postgres', () => undefined);
  const producer = await own.producer();
  await producer.produce(TOPIC, [{ key: 'k', value: 'unread' }]);

  await expect(
    moveRecords({
      to: 'kafka',
      records: RECORDS,
      db,
      buses: buses(),
      logger,
      ...TIMES,
      drainMs: 500,
    }),
  ).rejects.toThrow(`not all records were read within 0.5 s: ${GROUP}: 1 of ${TOPIC}`);

  expect(await readBusState(db.sql)).toEqual({ bus: 'postgres', isAccepting: true });
  await eventually(() => producer.produce(TOPIC, [{ key: 'k', value: 'accepted' }]));
});

test('a move that fails and cannot open the installation again says both', async () => {
  // The first transaction closes the installation, the second one opens it.
  let transactions = 0;
  const transaction: Database['transaction'] = (work) => {
    transactions += 1;
    return transactions === 2
      ? Promise.reject(new Error('the connection was lost'))
      : db.transaction(work);
  };
  const move = moveRecords({
    to: 'kafka',
    records: RECORDS,
    db: { ...db, transaction },
    buses: buses(),
    logger,
    ...TIMES,
    drainMs: 500,
  });

  await expect(move).rejects.toThrow(
    /^the move failed: not all records were read.*could not be opened again: the connection was lost\. Run the move again$/,
  );
  expect(await readBusState(db.sql)).toEqual({ bus: 'postgres', isAccepting: false });
  await setAccepting(db, true);
});

test('unread records of the other bus, and a move to where the records are, change nothing', async () => {
  await busOf('kafka').admin.ensureTopics([SPEC], REPLICATION);
  const kafka = await busOf('kafka').producer();
  await kafka.produce(TOPIC, [{ key: 'k', value: 'forgotten' }]);
  const move = (to: BusKind) =>
    moveRecords({ to, records: RECORDS, db, buses: buses(), logger, ...TIMES });

  await expect(move('kafka')).rejects.toThrow(
    `group ${GROUP} has 1 unread records of topic ${TOPIC}`,
  );
  await expect(move('postgres')).rejects.toThrow('are in postgres already');

  expect(await readBusState(db.sql)).toEqual({ bus: 'postgres', isAccepting: true });
});
