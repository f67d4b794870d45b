import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Counters sharded by connection: statements that merge the shards into one row. */
const MERGE_SHARDS = {
  ingest_minutes: statement('merge-ingest-minutes'),
  definition_hours: statement('merge-definition-hours'),
  event_quarters: statement('merge-event-quarters'),
} as const;
export type ShardedTable = keyof typeof MERGE_SHARDS;
export const SHARDED_TABLES = Object.keys(MERGE_SHARDS) as ShardedTable[];
/** Tables behind charts: statements that roll up old buckets into one row. */
const ROLL_UP = {
  definition_hours: statement('roll-up-definition-hours'),
  event_quarters: statement('roll-up-event-quarters'),
} as const;
export type ChartTable = keyof typeof ROLL_UP;
export const CHART_TABLES = Object.keys(ROLL_UP) as ChartTable[];

type Due = { readonly before: Date; readonly limit: number };

/**
 * Merges counter rows of different connections from before an instant into one row each, oldest
 * first. Returns how many rows were merged.
 * @callers scheduler
 */
export function mergeCounterShards(sql: Sql, table: ShardedTable, due: Due): Promise<number> {
  return rollUp(sql, MERGE_SHARDS[table], due);
}

/**
 * Rolls up buckets from before an instant into one row per definition and currency, oldest first.
 * Totals stay exact; their times are lost. Merge the shards by `mergeCounterShards` first. Returns
 * how many rows were rolled up.
 * @callers scheduler
 */
export function rollUpChart(sql: Sql, table: ChartTable, due: Due): Promise<number> {
  return rollUp(sql, ROLL_UP[table], due);
}

async function rollUp(sql: Sql, text: string, { before, limit }: Due): Promise<number> {
  const { rows } = await sql.query<{ merged: number }>(text, [before, limit]);
  return rows[0]?.merged ?? 0;
}
