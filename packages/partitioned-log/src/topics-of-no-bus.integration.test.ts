import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createOwnDatabase } from '@tidings/testing';
import { appendRecords, LogClosedError } from './append.ts';
import { createCursors, lockCursor, moveCursor } from './cursors.ts';
import { readCommittedOffsets } from './offsets.ts';
import { setAccepting, switchBus } from './state.ts';
import { ensureTopics, readTopic, type Topic } from './topics.ts';

const own = await createOwnDatabase();
afterAll(() => own.close());

const group = 'reader';
const OF_BUS = { topic: 'of-the-bus', partitions: 1, retentionMs: 3_600_000, recordBytesMax: 1e6 };
const OWN = { ...OF_BUS, topic: 'of-the-log' };
let topics: { readonly ofBus: Topic; readonly own: Topic };

async function find(name: string): Promise<Topic> {
  const topic = await readTopic(own.sql, name);
  if (topic === undefined) throw new Error('the topic was not created');
  return topic;
}

beforeAll(async () => {
  await ensureTopics(own, [OF_BUS]);
  await ensureTopics(own, [OWN], { isBus: false });
  topics = { ofBus: await find(OF_BUS.topic), own: await find(OWN.topic) };
  for (const { topicId } of [topics.ofBus, topics.own])
    await createCursors(own.sql, { group, topicId });
});
beforeEach(() => own.transaction((sql) => switchBus(sql, 'postgres')));

const append = (topic: Topic) =>
  appendRecords(own.sql, topic, {
    records: [{ key: null, value: Buffer.from('a'), headers: {} }],
    partitionOf: () => 0,
  });
/** Whether the topics of the bus and its own take records. */
const takes = () =>
  Promise.all(
    [topics.ofBus, topics.own].map((topic) =>
      append(topic).then(
        () => true,
        (error: unknown) => {
          if (error instanceof LogClosedError) return false;
          throw error;
        },
      ),
    ),
  );
const committed = async (topic: string) =>
  (await readCommittedOffsets(own.sql, group, topic)).get(0);

test('a move of the bus closes, opens and skips its own topics alone', async () => {
  const cursor = { group, topicId: topics.own.topicId, part: 0 };
  expect(await takes()).toEqual([true, true]);
  await own.transaction(async (sql) => {
    await lockCursor(sql, cursor);
    await moveCursor(sql, cursor, 1n);
  });

  await setAccepting(own, false);
  expect(await takes()).toEqual([false, true]);
  await own.transaction((sql) => switchBus(sql, 'kafka'));
  expect(await takes()).toEqual([false, true]);
  expect([await committed(OF_BUS.topic), await committed(OWN.topic)]).toEqual([1n, 1n]);
  await own.transaction((sql) => switchBus(sql, 'postgres'));

  expect(await takes()).toEqual([true, true]);
  expect(await committed(OWN.topic)).toBe(1n);
});

test('a topic that is created while the bus is Kafka takes records unless it is of the bus', async () => {
  await own.transaction((sql) => switchBus(sql, 'kafka'));
  await ensureTopics(own, [{ ...OF_BUS, topic: 'late-of-the-bus' }]);
  await ensureTopics(own, [{ ...OF_BUS, topic: 'late-of-the-log' }], { isBus: false });

  await expect(append(await find('late-of-the-bus'))).rejects.toThrow(LogClosedError);
  expect(await append(await find('late-of-the-log'))).toEqual([{ partition: 0, offset: 0n }]);
});

test('one that the version before closed is opened by the next prepare step', async () => {
  await own.transaction((sql) => switchBus(sql, 'kafka'));
  // That version takes each topic for one of the bus.
  await own.sql.query('update log_heads set closed = true');
  expect(await takes()).toEqual([false, false]);

  await ensureTopics(own, [OF_BUS]);
  await ensureTopics(own, [OWN], { isBus: false });

  expect(await takes()).toEqual([false, true]);
});
