import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { connectTestDatabase } from '@tidings/testing';
import { appendRecords } from './append.ts';
import { createCursors, lockCursor, moveCursor, readUnreadPartitions } from './cursors.ts';
import { ensureTopics, readTopic, type Topic } from './topics.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const TOPIC = `cursors-${systemIds.uuid()}`;
const group = `engines-${systemIds.uuid()}`;
let topic: Topic;
const cursorOf = (part: number) => ({ group, topicId: topic.topicId, part });

beforeAll(async () => {
  await ensureTopics(db, [
    { topic: TOPIC, partitions: 3, retentionMs: 3_600_000, recordBytesMax: 1e6 },
  ]);
  const created = await readTopic(db.sql, TOPIC);
  if (created === undefined) throw new Error('the topic was not created');
  topic = created;
  await createCursors(db.sql, cursorOf(0));
});

const append = (count: number, part: number) =>
  appendRecords(db.sql, topic, {
    records: Array.from({ length: count }, () => ({
      key: null,
      value: Buffer.from('a'),
      headers: {},
    })),
    partitionOf: () => part,
  });
const lockAlone = (part: number) => db.transaction((sql) => lockCursor(sql, cursorOf(part)));

test('a cursor that another transaction has is skipped, and the next one is free', async () => {
  await db.transaction(async (sql) => {
    expect(await lockCursor(sql, cursorOf(0))).toBe(0n);

    expect(await lockAlone(0)).toBeUndefined();
    expect(await lockAlone(1)).toBe(0n);
  });

  expect(await lockAlone(0)).toBe(0n);
});

test('a cursor moves with its transaction, durably, and is undone with it', async () => {
  const setting = await db.transaction(async (sql) => {
    await lockCursor(sql, cursorOf(0));
    await moveCursor(sql, cursorOf(0), 7n);
    const { rows } = await sql.query<{ value: string }>(
      `select current_setting('synchronous_commit') as value`,
    );
    return rows[0]?.value;
  });
  await expect(
    db.transaction(async (sql) => {
      await lockCursor(sql, cursorOf(0));
      await moveCursor(sql, cursorOf(0), 9n);
      throw new Error('the engine gives up');
    }),
  ).rejects.toThrow('the engine gives up');

  expect(setting).toBe('on');
  expect(await lockAlone(0)).toBe(7n);
});

test('cursors are created once, and keep their places', async () => {
  await createCursors(db.sql, cursorOf(0));

  expect(await lockAlone(0)).toBe(7n);
  await expect(moveCursor(db.sql, cursorOf(3), 1n)).rejects.toThrow('missing');
});

test('partitions with unread records are named, the oldest first, without what retention dropped', async () => {
  const unread = async () =>
    (await readUnreadPartitions(db.sql, cursorOf(0))).map(({ part, records }) => [part, records]);
  await append(2, 2);
  await append(3, 1);
  await append(1, 2);

  expect(await unread()).toEqual([
    [2, 3],
    [1, 3],
  ]);
  const [oldest] = await readUnreadPartitions(db.sql, cursorOf(0));
  expect(oldest?.ageMs).toBeGreaterThan(0);

  await db.transaction(async (sql) => moveCursor(sql, cursorOf(2), 2n));
  expect(await unread()).toEqual([
    [1, 3],
    [2, 1],
  ]);
  await db.sql.query('update log_heads set low = next where topic_id = $1', [topic.topicId]);
  expect(await unread()).toEqual([]);
});

test('a group without cursors has read nothing', async () => {
  const other = { ...cursorOf(0), group: `none-${systemIds.uuid()}` };
  await append(1, 0);

  expect(await lockCursor(db.sql, other)).toBeUndefined();
  expect((await readUnreadPartitions(db.sql, other)).map(({ part }) => part)).toEqual([0]);
});
