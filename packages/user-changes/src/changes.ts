import { USER_CHANGES } from '@tidings/contracts/topics';
import { appendRecords, createPartitioner } from '@tidings/partitioned-log/append';
import { choosePartition } from '@tidings/partitioned-log/partitioner';
import { readRecords } from '@tidings/partitioned-log/read';
import type { LogRecord, NewRecord } from '@tidings/partitioned-log/record';
import { readTopic, type Topic } from '@tidings/partitioned-log/topics';
import { isUuid } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';

/**
 * Something happened to a user: a hint to look at stored rows, by references alone. What a user said
 * or is called stands in no change.
 *
 * `userId` is the person (`coalesce(merged_into, id)`) as the transaction that appended it knew it.
 * An event of an anonymous user who was merged meanwhile has the id of the anonymous user.
 */
export type UserChange =
  | EventChange
  /** The user has become registered. */
  | { readonly kind: 'registered'; readonly userId: string }
  /** An anonymous user was merged into this one. */
  | { readonly kind: 'merged'; readonly userId: string; readonly anonymousId: string }
  /** The profile of a registered user was written. */
  | { readonly kind: 'profile'; readonly userId: string }
  /** A delivery to the user has reached a milestone. */
  | {
      readonly kind: 'outcome';
      readonly userId: string;
      readonly campaignId: string;
      readonly deliveryId: string;
      readonly milestone: string;
    }
  | TriggerChange;

/** An instant of an automation has come that is to enter the user: one change for each of them. */
export type TriggerChange = {
  readonly kind: 'trigger';
  readonly userId: string;
  readonly automationId: string;
  /** The key of its trigger, such as `schedule`. */
  readonly trigger: string;
  /** The instant, in milliseconds: what is appended again is decided once. */
  readonly at: number;
};

/** An event was stored; `requestId`, `messageIndex` and `receivedAt` are its key. */
export type EventChange = {
  readonly kind: 'event';
  readonly userId: string;
  /** Of the definition that it was stored with. */
  readonly slug: string;
  readonly requestId: string;
  readonly messageIndex: number;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Whether its sender may act for the user. */
  readonly isProved: boolean;
  /** Whether the user was registered when the event was stored. */
  readonly isRegistered: boolean;
  /** Whether its request also has `user` messages, which another consumer stores. */
  readonly hasUserMessages: boolean;
};

/** The number of shards of people: each has its changes in a partition of its own. */
export const SHARDS = USER_CHANGES.partitions;

/** The shard of a person, from 0 on. */
export function shardOf(userId: string): number {
  return choosePartition(keyOf(userId), SHARDS);
}

/**
 * Appends changes; those of one person keep their order. Readers see them when the transaction
 * commits. Call it once a transaction, as its last statement: it locks shards until the commit, and
 * its notification takes a lock that all commits share.
 * @callers delivery, events-consumer, automation-schedules, automations
 */
export async function appendChanges(sql: Sql, changes: readonly UserChange[]): Promise<void> {
  if (changes.length === 0) return;
  await appendRecords(sql, await readUserChangesTopic(sql), {
    records: changes.map(encode),
    partitionOf,
  });
}

/** The topic of changes. @throws Error if no prepare step has made it */
export async function readUserChangesTopic(sql: Sql): Promise<Topic> {
  const topic = await readTopic(sql, USER_CHANGES.topic);
  if (topic === undefined) throw new Error('the topic of changes of users is missing');
  return topic;
}

/** What was read: null is a record that this version cannot read. */
export type ReadChange = { readonly offset: bigint; readonly change: UserChange | null };

/** An estimate, so that a read has about as many records as wanted. */
const RECORD_BYTES = 128;

/**
 * Reads up to `max` changes of a shard from an offset on, in order. `next` is the offset to continue
 * from. An unreadable record never stops the reader.
 */
export async function readChanges(
  sql: Sql,
  {
    topicId,
    shard,
    from,
    max,
  }: {
    readonly topicId: number;
    readonly shard: number;
    readonly from: bigint;
    readonly max: number;
  },
): Promise<{ readonly changes: readonly ReadChange[]; readonly next: bigint }> {
  const bytesMax = max * RECORD_BYTES;
  const records = await readRecords(sql, { topicId, partition: shard, from, bytesMax });
  const changes = records
    .slice(0, max)
    .map((record) => ({ offset: record.offset, change: decode(record) }));
  return { changes, next: (changes.at(-1)?.offset ?? from - 1n) + 1n };
}

const partitionOf = createPartitioner();

function keyOf(userId: string): Buffer {
  return Buffer.from(userId);
}

const IS_PROVED = 1;
const IS_REGISTERED = 2;
const HAS_USER_MESSAGES = 4;

/** The user is the key. The value is a JSON array, which begins with a letter for the kind. */
function encode(change: UserChange): NewRecord {
  return {
    key: keyOf(change.userId),
    value: Buffer.from(JSON.stringify(valueOf(change))),
    headers: {},
  };
}

function valueOf(change: UserChange): readonly (string | number)[] {
  switch (change.kind) {
    case 'event':
      return [
        'e',
        change.slug,
        change.requestId,
        change.messageIndex,
        change.receivedAt,
        (change.isProved ? IS_PROVED : 0) |
          (change.isRegistered ? IS_REGISTERED : 0) |
          (change.hasUserMessages ? HAS_USER_MESSAGES : 0),
      ];
    case 'registered':
      return ['r'];
    case 'merged':
      return ['m', change.anonymousId];
    case 'profile':
      return ['p'];
    case 'outcome':
      return ['o', change.campaignId, change.deliveryId, change.milestone];
    case 'trigger':
      return ['t', change.automationId, change.trigger, change.at];
  }
}

function decode({ key, value }: LogRecord): UserChange | null {
  const userId = key?.toString() ?? '';
  const fields = parseArray(value);
  return isUuid(userId) && fields !== null ? read(userId, fields) : null;
}

function parseArray(value: Buffer): readonly unknown[] | null {
  try {
    const parsed: unknown = JSON.parse(value.toString());
    return Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function read(userId: string, [kind, a, b, c, d, e]: readonly unknown[]): UserChange | null {
  if (kind === 'r') return { kind: 'registered', userId };
  if (kind === 'p') return { kind: 'profile', userId };
  if (kind === 'm') return isId(a) ? { kind: 'merged', userId, anonymousId: a } : null;
  if (kind === 'o')
    return isId(a) && isId(b) && typeof c === 'string'
      ? { kind: 'outcome', userId, campaignId: a, deliveryId: b, milestone: c }
      : null;
  if (kind === 't')
    return isId(a) && typeof b === 'string' && isCount(c)
      ? { kind: 'trigger', userId, automationId: a, trigger: b, at: c }
      : null;
  if (kind !== 'e' || typeof a !== 'string' || !isId(b)) return null;
  if (!isCount(c) || typeof d !== 'number' || !isCount(e)) return null;
  return {
    kind: 'event',
    userId,
    slug: a,
    requestId: b,
    messageIndex: c,
    receivedAt: d,
    isProved: (e & IS_PROVED) !== 0,
    isRegistered: (e & IS_REGISTERED) !== 0,
    hasUserMessages: (e & HAS_USER_MESSAGES) !== 0,
  };
}

const isId = (value: unknown): value is string => typeof value === 'string' && isUuid(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value);
