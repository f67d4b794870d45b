import type { SentByAutomation } from '@tidings/delivery/campaign-retention';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * Folds up to `limit` rows of counters that engines no longer write to often: the shards of a day
 * become one row, and days of long ago their month. Reports have the same numbers before and after.
 * Returns whether more may follow. @callers scheduler
 */
export async function foldCounts(sql: Sql, limit: number): Promise<boolean> {
  const { rows } = await sql.query<{ gone: number }>(statement('fold-counts'), [limit]);
  return (rows[0]?.gone ?? 0) >= limit;
}

/** Keeps the numbers of campaigns that are deleted in this transaction. @callers scheduler */
export async function keepSentCounts(sql: Sql, counts: readonly SentByAutomation[]): Promise<void> {
  if (counts.length > 0) await sql.query(statement('keep-sent-counts'), [JSON.stringify(counts)]);
}
