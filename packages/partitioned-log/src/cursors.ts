import { definePrepared } from '@tidings/postgres/define-prepared';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);
const LOCK = definePrepared(statement('lock-cursor'));
const HOLD = definePrepared(statement('hold-cursor'));
const MOVE = definePrepared(statement('move-cursor'));
const UNREAD = definePrepared(statement('read-unread-partitions'));

/**
 * The place of a group in one partition, for a group without members: who locks it handles the
 * records behind it, and moves it in the transaction of their effects.
 */
export type Cursor = { readonly group: string; readonly topicId: number; readonly part: number };

/** Creates the missing cursors of a group, one for each partition. @callers automation-engine */
export async function createCursors(
  sql: Sql,
  { group, topicId }: Pick<Cursor, 'group' | 'topicId'>,
): Promise<void> {
  await sql.query(statement('create-group'), [group]);
  await sql.query(statement('create-leases'), [group, [topicId]]);
}

/**
 * Locks a cursor until the transaction ends. Returns the offset of the next record to read;
 * undefined if another transaction has the lock, or there is no such cursor. Never waits.
 * @callers automations
 */
export async function lockCursor(
  sql: Sql,
  { group, topicId, part }: Cursor,
): Promise<bigint | undefined> {
  const { rows } = await sql.query<{ committed: string }>(LOCK, [group, topicId, part]);
  return rows[0] && BigInt(rows[0].committed);
}

/**
 * As `lockCursor`, but waits for the transaction that has it. @callers automations
 */
export async function holdCursor(sql: Sql, { group, topicId, part }: Cursor): Promise<void> {
  await sql.query(HOLD, [group, topicId, part]);
}

/**
 * Moves a cursor that this transaction has locked. Unlike the commit of a member it is as durable as
 * the transaction, and is undone with it. @callers automations
 * @throws Error if there is no such cursor
 */
export async function moveCursor(
  sql: Sql,
  { group, topicId, part }: Cursor,
  next: bigint,
): Promise<void> {
  const { rowCount } = await sql.query(MOVE, [group, topicId, part, String(next)]);
  if (rowCount !== 1) throw new Error('a cursor of the log is missing');
}

/** A partition with records that a group has not read. */
export type UnreadPartition = {
  readonly part: number;
  readonly records: number;
  /** Of the oldest of them, by Postgres' clock. */
  readonly ageMs: number;
};

/** The partitions of a topic with unread records, that with the oldest first. */
export async function readUnreadPartitions(
  sql: Sql,
  { group, topicId }: Pick<Cursor, 'group' | 'topicId'>,
): Promise<UnreadPartition[]> {
  const { rows } = await sql.query<UnreadPartition>(UNREAD, [group, topicId]);
  return rows;
}
