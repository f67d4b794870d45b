import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { connectTestDatabase, randomFrom } from '@tidings/testing';
import { appendRecords, createPartitioner, LogClosedError } from './append.ts';
import { readTopicOffsets } from './offsets.ts';
import { readRecords } from './read.ts';
import type { NewRecord } from './record.ts';
import { ensureTopics, readTopic, type Topic } from './topics.ts';

const db = connectTestDatabase({ poolMax: 12 });
afterAll(() => db.close());

const partitionOf = createPartitioner();
const recordOf = (key: string, value: string): NewRecord => ({
  key: Buffer.from(key),
  value: Buffer.from(value),
  headers: {},
});

async function createTopic(partitions: number): Promise<Topic & { readonly name: string }> {
  const name = `log-${systemIds.uuid()}`;
  await ensureTopics(db, [
    { topic: name, partitions, retentionMs: 3_600_000, recordBytesMax: 1e6 },
  ]);
  const topic = await readTopic(db.sql, name);
  if (topic === undefined) throw new Error('the topic was not created');
  return { ...topic, name };
}

const append = (topic: Topic, values: readonly string[], key = 'one key') =>
  appendRecords(db.sql, topic, {
    records: values.map((value) => recordOf(key, value)),
    partitionOf,
  });

async function readTexts({ topicId }: Topic, partition: number, from = 0n): Promise<string[]> {
  const records = await readRecords(db.sql, { topicId, partition, from, bytesMax: 1e6 });
  return records.map(({ value }) => value.toString());
}

test('an append within a transaction that is rolled back leaves nothing, and no gap', async () => {
  const topic = await createTopic(1);
  await append(topic, ['0', '1']);

  await expect(
    db.transaction(async (sql) => {
      await appendRecords(sql, topic, { records: [recordOf('k', 'lost')], partitionOf });
      throw new Error('the caller gives up');
    }),
  ).rejects.toThrow('the caller gives up');
  const [position] = await append(topic, ['2']);

  expect(position).toEqual({ partition: 0, offset: 2n });
  expect(await readTexts(topic, 0)).toEqual(['0', '1', '2']);
});

test('a read begins at any offset, also within a block', async () => {
  const topic = await createTopic(1);
  await append(topic, ['0', '1', '2', '3']);

  expect(await readTexts(topic, 0, 2n)).toEqual(['2', '3']);
  expect(await readTexts(topic, 0, 4n)).toEqual([]);
});

test('a read has about the wanted bytes, and one block at least', async () => {
  const topic = await createTopic(1);
  for (const text of ['a', 'b', 'c', 'd']) await append(topic, [text.repeat(1_000)]);
  const readBytes = async (bytesMax: number) =>
    (await readRecords(db.sql, { topicId: topic.topicId, partition: 0, from: 0n, bytesMax }))
      .length;

  expect([await readBytes(1), await readBytes(1_500), await readBytes(1e6)]).toEqual([1, 2, 4]);
});

test('a closed log takes nothing, not even for its open partitions', async () => {
  const topic = await createTopic(2);
  await db.sql.query('update log_heads set closed = true where topic_id = $1 and part = 1', [
    topic.topicId,
  ]);
  const records = [recordOf('a', '0'), recordOf('b', '1')];
  let next = 0;

  await expect(
    appendRecords(db.sql, topic, { records, partitionOf: () => next++ }),
  ).rejects.toBeInstanceOf(LogClosedError);

  expect([...(await readTopicOffsets(db.sql, topic.name)).values()]).toEqual([
    { low: 0n, high: 0n },
    { low: 0n, high: 0n },
  ]);
});

const WRITERS = 8;
const APPENDS = 125;
const PARTITIONS = 3;

test('a reader never sees an offset before an earlier one: 1,000 transactions, held open and rolled back at random', async () => {
  const topic = await createTopic(PARTITIONS);
  const random = randomFrom(35);
  const committed = new Map<string, string>();
  let isWriting = true;

  async function write(writer: number): Promise<void> {
    for (let n = 0; n < APPENDS; n += 1) {
      const values = Array.from(
        { length: 1 + Math.floor(random() * 4) },
        (_, at) => `${writer}.${n}.${at}`,
      );
      const isKept = random() < 0.8;
      await db
        .transaction(async (sql) => {
          const positions = await appendRecords(sql, topic, {
            records: values.map((value) => recordOf(value, value)),
            partitionOf,
          });
          // Between the offset and the commit.
          if (random() < 0.5) await delay(random() * 5);
          if (!isKept) throw new Error('rolled back');
          for (const [at, { partition, offset }] of positions.entries())
            committed.set(`${partition}/${offset}`, values[at] ?? '');
        })
        .catch((error: unknown) => {
          if (isKept) throw error;
        });
    }
  }

  async function readAlong(partition: number): Promise<Map<string, string>> {
    const seen = new Map<string, string>();
    let next = 0n;
    for (let isLast = false; ;) {
      const records = await readRecords(db.sql, {
        topicId: topic.topicId,
        partition,
        from: next,
        bytesMax: 1e6,
      });
      for (const { offset, value } of records) {
        if (offset !== next) throw new Error(`offset ${offset} came when ${next} was expected`);
        seen.set(`${partition}/${offset}`, value.toString());
        next += 1n;
      }
      if (isLast && records.length === 0) return seen;
      isLast = !isWriting;
    }
  }

  const readers = Array.from({ length: PARTITIONS }, (_, partition) => readAlong(partition));
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  isWriting = false;
  const seen = new Map((await Promise.all(readers)).flatMap((one) => [...one]));

  expect(committed.size).toBeGreaterThan(WRITERS * APPENDS);
  expect(seen).toEqual(committed);
}, 60_000);
