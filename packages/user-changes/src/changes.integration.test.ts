import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AUTOMATIONS_GROUP, LOG_GROUPS, USER_CHANGES } from '@tidings/contracts/topics';
import { appendRecords } from '@tidings/partitioned-log/append';
import { createCursors, lockCursor, moveCursor } from '@tidings/partitioned-log/cursors';
import { rotateBlocks } from '@tidings/partitioned-log/retention';
import { ensureTopics } from '@tidings/partitioned-log/topics';
import { systemIds } from '@tidings/platform';
import { createOwnDatabase } from '@tidings/testing';
import {
  appendChanges,
  readChanges,
  readUserChangesTopic,
  shardOf,
  SHARDS,
  type UserChange,
} from './changes.ts';

// A separate database: rotation is of all records.
const db = await createOwnDatabase();
afterAll(() => db.close());

let topicId: number;
beforeAll(async () => {
  ({ topicId } = await readUserChangesTopic(db.sql));
  await createCursors(db.sql, { group: AUTOMATIONS_GROUP, topicId });
});

const uuid = () => systemIds.uuid();
const append = (...changes: readonly UserChange[]) =>
  db.transaction((sql) => appendChanges(sql, changes));
const readAll = (shard: number, { from = 0n, max = 1_000 } = {}) =>
  readChanges(db.sql, { topicId, shard, from, max });
/** The changes of one user, and the offset after them. */
async function readOf(userId: string) {
  const { changes, next } = await readAll(shardOf(userId));
  return { own: changes.filter(({ change }) => change?.userId === userId), next };
}

test('each kind is read as it was appended, in order, in the shard of its user', async () => {
  const userId = uuid();
  const event = {
    kind: 'event',
    userId,
    slug: 'cartd',
    requestId: uuid(),
    messageIndex: 12,
    receivedAt: 1_795_256_516_534,
  } as const;
  const changes: readonly UserChange[] = [
    { kind: 'registered', userId },
    { ...event, isProved: true, isRegistered: false, hasUserMessages: true },
    { ...event, messageIndex: 13, isProved: false, isRegistered: true, hasUserMessages: false },
    { kind: 'merged', userId, anonymousId: uuid() },
    { kind: 'profile', userId },
    { kind: 'outcome', userId, campaignId: uuid(), deliveryId: uuid(), milestone: 'clicked' },
    { kind: 'trigger', userId, automationId: uuid(), trigger: 'schedule', at: event.receivedAt },
  ];
  const others = Array.from({ length: 50 }, () => ({ kind: 'profile', userId: uuid() }) as const);

  await append(...changes.slice(0, 3), ...others, ...changes.slice(3));

  expect((await readOf(userId)).own.map(({ change }) => change)).toEqual(changes);
  for (const { userId: other } of others) expect((await readOf(other)).own).toHaveLength(1);
});

test('users are spread over all shards', () => {
  const shards = Array.from({ length: 1_000 }, () => shardOf(uuid()));

  expect(new Set(shards).size).toBe(SHARDS);
  expect(Math.max(...shards)).toBe(SHARDS - 1);
});

test('a transaction that is rolled back appends nothing', async () => {
  const userId = uuid();

  await expect(
    db.transaction(async (sql) => {
      await appendChanges(sql, [{ kind: 'registered', userId }]);
      throw new Error('the consumer gives up');
    }),
  ).rejects.toThrow('the consumer gives up');

  expect((await readOf(userId)).own).toEqual([]);
});

test('a read has at most the wanted number, and says where to go on', async () => {
  const userId = uuid();
  const shard = shardOf(userId);
  const { next: from } = await readOf(userId);
  await append(...Array.from({ length: 5 }, () => ({ kind: 'profile', userId }) as const));

  const first = await readAll(shard, { from, max: 3 });
  const rest = await readAll(shard, { from: first.next, max: 3 });

  expect([first.changes.length, rest.changes.length]).toEqual([3, 2]);
  expect(first.changes.map(({ offset }) => offset)).toEqual([from, from + 1n, from + 2n]);
  expect(rest.next).toBe(from + 5n);
  expect(await readAll(shard, { from: rest.next })).toEqual({ changes: [], next: from + 5n });
});

test('what cannot be read is passed over: a later kind, a part, no JSON, no user', async () => {
  const userId = uuid();
  const { next: from } = await readOf(userId);
  const values = [
    '["z",1]',
    '["e","cartd"]',
    `["e","cartd","${userId}","0",1,1]`,
    '["m","no id"]',
    '["o",1,2,3]',
    '["t","no id","schedule",1]',
    '{"kind":"e"}',
    'null',
    '["r"',
  ].map((value) => ({ key: Buffer.from(userId), value: Buffer.from(value), headers: {} }));
  const keyless = [null, Buffer.from('no id')].map((key) => ({
    key,
    value: Buffer.from('["r"]'),
    headers: {},
  }));
  await appendRecords(db.sql, await readUserChangesTopic(db.sql), {
    records: [...values, ...keyless],
    partitionOf: () => shardOf(userId),
  });
  await append({ kind: 'registered', userId });

  const { changes, next } = await readAll(shardOf(userId), { from });

  expect(changes.map(({ change }) => change)).toEqual([
    ...[...values, ...keyless].map(() => null),
    { kind: 'registered', userId },
  ]);
  expect(next).toBe(from + BigInt(changes.length));
});

test('records wait for the engine, and for the retention of the topic at most', async () => {
  const rotate = () => rotateBlocks(db, { groups: LOG_GROUPS, bytesMax: 0, ageMsMax: 3_600_000 });
  const readEverything = () =>
    db.transaction(async (sql) => {
      for (let part = 0; part < SHARDS; part += 1) {
        const cursor = { group: AUTOMATIONS_GROUP, topicId, part };
        const from = await lockCursor(sql, cursor);
        if (from === undefined) throw new Error('another has the cursor');
        await moveCursor(sql, cursor, (await readAll(part, { from })).next);
      }
    });
  const userId = uuid();
  const change = { kind: 'registered', userId } as const;
  // Three tables take turns.
  for (let n = 0; n < 2; n += 1) {
    await append(change);
    expect(await rotate()).toBe('rotated');
  }
  await append(change);

  expect(await rotate()).toBe('unread');
  await readEverything();
  expect(await rotate()).toBe('rotated');

  await append(change);
  await rotate();
  await append(change);
  await rotate();
  await append(change);
  expect(await rotate()).toBe('unread');
  await ensureTopics(db, [{ ...USER_CHANGES, retentionMs: 0 }], { isBus: false });
  expect(await rotate()).toBe('rotated');
  const { changes, next } = await readAll(shardOf(userId), { from: 0n });
  expect(next).toBe((changes[0]?.offset ?? 0n) + BigInt(changes.length));
});
