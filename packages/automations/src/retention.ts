import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

type Purge = {
  /** Since the end of a run, or since an event was decided. */
  readonly days: number;
  readonly limit: number;
};

/**
 * Deletes up to `limit` of the oldest runs that ended longer ago, with their trace. A run whose goal
 * still counts stays. So do entries, which say who may enter again, and counters. Returns the number
 * of runs deleted. @callers scheduler
 */
export async function deleteOldRuns(sql: Sql, { days, limit }: Purge): Promise<number> {
  const { rowCount } = await sql.query(statement('delete-old-runs'), [days, limit]);
  return rowCount ?? 0;
}

/**
 * Deletes up to `limit` of the oldest decisions about events. It must be later than an event can be
 * read again, from a replayed topic too: what was decided about it keeps it from entering twice.
 * Returns the number of rows deleted. @callers scheduler
 */
export async function deleteOldTriggers(sql: Sql, { days, limit }: Purge): Promise<number> {
  const { rowCount } = await sql.query(statement('delete-old-triggers'), [days, limit]);
  return rowCount ?? 0;
}
