import { isLockTimeout, type Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { withRetentionLock } from './retention-lock.ts';

const statement = statementsIn(import.meta.dirname);

/** The tables partitioned by arrival, and how far ahead partitions are created. */
const PARTITIONED_TABLES = [
  { table: 'ingest_requests', step: '1 day', ahead: 14 },
  { table: 'receipts', step: '1 day', ahead: 14 },
  { table: 'events', step: '1 month', ahead: 3 },
] as const;
export type PartitionedTable = (typeof PARTITIONED_TABLES)[number]['table'];

/**
 * Longer than most transactions, shorter than a caller notices: other users of the table wait
 * behind this lock.
 */
const LOCK_TIMEOUT_MS = 250;

/**
 * Creates the partitions that will be needed, and returns how many. Safe to call concurrently.
 * @callers ingest-consumer, scheduler
 */
export async function makePartitions(db: Database, now?: Date): Promise<number> {
  let made = 0;
  for (const { table, step, ahead } of PARTITIONED_TABLES) {
    const { rows } = await db.sql.query<{ made: number }>(statement('make-partitions'), [
      table,
      step,
      ahead,
      now ?? null,
    ]);
    const madeOfTable = rows[0]?.made ?? 0;
    // Autovacuum does not analyze a partitioned parent, and the planner chooses joins by its
    // statistics.
    if (madeOfTable > 0) await db.sql.query(`analyze only ${table}`);
    made += madeOfTable;
  }
  return made;
}

/**
 * The latest end of a table's partitions that hold only rows older than an instant; null without
 * one.
 */
export async function readDuePartitionsEnd(
  db: Database,
  table: PartitionedTable,
  before: Date,
): Promise<Date | null> {
  const { rows } = await db.sql.query<{ ends: Date | null }>(statement('read-due-partitions-end'), [
    table,
    before,
  ]);
  return rows[0]?.ends ?? null;
}

/**
 * Drops a few of a table's oldest partitions that hold only rows older than an instant. Returns how
 * many; 0 when none is left. `busy` when another process runs retention, or when the table's lock
 * was not available within 250 ms.
 * @callers scheduler
 */
export async function dropPartitions(
  db: Database,
  table: PartitionedTable,
  before: Date,
): Promise<number | 'busy'> {
  try {
    return await withRetentionLock(db, async (sql) => {
      await sql.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
      const { rows } = await sql.query<{ dropped: number }>(statement('drop-partitions'), [
        table,
        before,
      ]);
      return rows[0]?.dropped ?? 0;
    });
  } catch (error) {
    if (isLockTimeout(error)) return 'busy';
    throw error;
  }
}
