import { isLockTimeout, type Database, type Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { withAdvisoryLock } from '@tidings/postgres/with-advisory-lock';

const statement = statementsIn(import.meta.dirname);

/** Tables of blocks, which take turns. */
export const BLOCK_TABLES = ['log_blocks_0', 'log_blocks_1', 'log_blocks_2'] as const;

/** A truncate waits for readers; it tries again at the next call. */
const LOCK_TIMEOUT_MS = 100;

export type RotationOptions = {
  /** The groups that must have read a record, by topic. */
  readonly groups: readonly { readonly group: string; readonly topics: readonly string[] }[];
  /** The table in use is replaced when it is larger, or older. */
  readonly bytesMax: number;
  readonly ageMsMax: number;
};

export type Rotation =
  /** The table in use is neither large nor old, or it is empty. */
  | 'not due'
  /** Not all groups have read the oldest table, and it is younger than the retention of its topics. */
  | 'unread'
  /** A reader or a dump holds the oldest table. */
  | 'locked'
  /** Another process rotates. */
  | 'busy'
  | 'rotated';

/**
 * Empties the oldest table of blocks and makes it the one that appends write to. Three short
 * transactions: what was read is no longer offered, the table is truncated, all partitions write to
 * it. A crash between them is harmless. @callers scheduler
 */
export function rotateBlocks(db: Database, options: RotationOptions): Promise<Rotation> {
  return withAdvisoryLock(db, 'rotation', () => rotateAlone(db, options));
}

async function rotateAlone(
  db: Database,
  { groups, bytesMax, ageMsMax }: RotationOptions,
): Promise<Rotation> {
  const { rows } = await db.sql.query<{ blockTable: number; isDue: boolean }>(
    statement('read-block-table'),
    [bytesMax, ageMsMax],
  );
  const [state] = rows;
  if (state === undefined || !state.isDue) return 'not due';
  const next = (state.blockTable + 1) % BLOCK_TABLES.length;
  const table = BLOCK_TABLES[next] ?? BLOCK_TABLES[0];
  const ends = await readEnds(db.sql, table);
  const committed = await readSlowest(db.sql, groups);
  const isDone = ({ topicId, part, end, isExpired }: End): boolean =>
    isExpired || (committed.get(`${topicId}/${part}`) ?? 0n) >= end;
  if (!ends.every(isDone)) return 'unread';
  await db.sql.query(statement('raise-lows'), [
    ends.map(({ topicId }) => topicId),
    ends.map(({ part }) => part),
    ends.map(({ end }) => String(end)),
  ]);
  if (!(await truncate(db, table))) return 'locked';
  await db.transaction(async (sql) => {
    await sql.query(statement('lock-log-state'));
    await sql.query(statement('lock-heads'));
    await sql.query(statement('switch-block-table'), [next]);
    await sql.query(statement('put-block-table'), [next]);
  });
  return 'rotated';
}

/** The size of all blocks on disk. @callers scheduler */
export async function readLogBytes(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ bytes: number }>(statement('read-log-bytes'), [BLOCK_TABLES]);
  return rows[0]?.bytes ?? 0;
}

type End = {
  readonly topicId: number;
  readonly part: number;
  /** The offset after the last of the table. */
  readonly end: bigint;
  readonly isExpired: boolean;
};

async function readEnds(sql: Sql, table: string): Promise<End[]> {
  const { rows } = await sql.query<Omit<End, 'end'> & { end: string }>(
    statement('read-ends').replace(BLOCK_TABLES[0], table),
  );
  return rows.map((row) => ({ ...row, end: BigInt(row.end) }));
}

/** By partition, the least that the groups that must read it have committed. */
async function readSlowest(
  sql: Sql,
  groups: RotationOptions['groups'],
): Promise<Map<string, bigint>> {
  const pairs = groups.flatMap(({ group, topics }) =>
    topics.map((topic) => [group, topic] as const),
  );
  const { rows } = await sql.query<{ topicId: number; part: number; committed: string }>(
    statement('read-slowest'),
    [pairs.map(([group]) => group), pairs.map(([, topic]) => topic)],
  );
  return new Map(
    rows.map(({ topicId, part, committed }) => [`${topicId}/${part}`, BigInt(committed)]),
  );
}

async function truncate(db: Database, table: string): Promise<boolean> {
  try {
    await db.transaction(async (sql) => {
      await sql.query(`set local lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
      await sql.query(`truncate ${table}`);
    });
    return true;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}
