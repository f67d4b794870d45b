import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { createOwnDatabase } from '@tidings/testing';
import { appendRecords, createPartitioner } from './append.ts';
import { claimLeases, commitOffset, joinGroup } from './members.ts';
import { readTopicOffsets } from './offsets.ts';
import { readRecords } from './read.ts';
import { BLOCK_TABLES, rotateBlocks } from './retention.ts';
import { ensureTopics, readTopic, type Topic } from './topics.ts';

const own = await createOwnDatabase();
afterAll(() => own.close());

const TOPIC = 'rotated';
const GROUPS = [{ group: 'reader', topics: [TOPIC] }];
const member = { group: 'reader', member: systemIds.uuid() };
const partitionOf = createPartitioner();
let topic: Topic;
let fence: bigint;

beforeAll(async () => {
  await ensureTopics(own, [
    { topic: TOPIC, partitions: 1, retentionMs: 3_600_000, recordBytesMax: 1e6 },
  ]);
  const created = await readTopic(own.sql, TOPIC);
  if (created === undefined) throw new Error('the topic was not created');
  topic = created;
  const generation = await joinGroup(own, { ...member, topicIds: [topic.topicId] }, 60_000);
  const claimed = await claimLeases(own, member, {
    shares: [{ topicId: topic.topicId, part: 0 }],
    generation,
    rebalanceTimeoutMs: 60_000,
  });
  fence = claimed?.[0]?.fence ?? -1n;
});

const append = (text: string) =>
  appendRecords(own.sql, topic, {
    records: [{ key: null, value: Buffer.from(text), headers: {} }],
    partitionOf,
  });
const commit = (next: bigint) =>
  commitOffset(own.sql, member, { topicId: topic.topicId, part: 0, fence, next });
/** Any content makes the table due. */
const rotate = () => rotateBlocks(own, { groups: GROUPS, bytesMax: 0, ageMsMax: 3_600_000 });
const readTexts = async () =>
  (
    await readRecords(own.sql, { topicId: topic.topicId, partition: 0, from: 0n, bytesMax: 1e6 })
  ).map(({ value }) => value.toString());
const offsets = async () => (await readTopicOffsets(own.sql, TOPIC)).get(0);
const sizes = async () => {
  const { rows } = await own.sql.query<{ size: number }>(
    `select pg_relation_size(name::regclass)::int as size from unnest($1::text[]) as name`,
    [BLOCK_TABLES],
  );
  return rows.map(({ size }) => size > 0);
};

test('tables take turns; one that not every group has read stays', async () => {
  expect(await rotate()).toBe('not due');
  await append('a');
  expect(await rotate()).toBe('rotated');
  await append('b');
  expect(await rotate()).toBe('rotated');
  await append('c');
  expect(await sizes()).toEqual([true, true, true]);

  expect(await rotate()).toBe('unread');
  expect(await readTexts()).toEqual(['a', 'b', 'c']);
  await commit(1n);
  expect(await rotate()).toBe('rotated');

  expect(await readTexts()).toEqual(['b', 'c']);
  expect(await offsets()).toEqual({ low: 1n, high: 3n });
  expect(await append('d')).toEqual([{ partition: 0, offset: 3n }]);
  expect(await sizes()).toEqual([true, true, true]);
});

test('a table that a reader or a dump holds is tried again', async () => {
  await commit(4n);
  const result = await own.transaction(async (sql) => {
    await sql.query('select from log_blocks_1');
    return rotate();
  });

  expect(result).toBe('locked');
  expect(await rotate()).toBe('rotated');
  expect(await readTexts()).toEqual(['c', 'd']);
});

test('what is older than the retention of its topic goes unread', async () => {
  await append('e');
  await append('f');
  // The oldest table has "c", then "d".
  await own.sql.query(`update log_leases set committed = 0`);
  expect(await rotate()).toBe('unread');

  await ensureTopics(own, [{ topic: TOPIC, partitions: 1, retentionMs: 0, recordBytesMax: 1e6 }]);

  expect(await rotate()).toBe('rotated');
  expect(await readTexts()).toEqual(['d', 'e', 'f']);
});
