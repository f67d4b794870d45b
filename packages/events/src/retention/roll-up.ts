import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Sums that each connection adds to by itself: what makes one row of those of different connections. */
const MERGE_SHARDS = {
  ingest_minutes: statement('merge-ingest-minutes'),
  definition_hours: statement('merge-definition-hours'),
  event_quarters: statement('merge-event-quarters'),
} as const;
export type ShardedTable = keyof typeof MERGE_SHARDS;
export const SHARDED_TABLES = Object.keys(MERGE_SHARDS) as ShardedTable[];
/** Those that charts are drawn from: what makes one row of the times before an instant. */
const ROLL_UP = {
  definition_hours: statement('roll-up-definition-hours'),
  event_quarters: statement('roll-up-event-quarters'),
} as const;
export type ChartTable = keyof typeof ROLL_UP;
export const CHART_TABLES = Object.keys(ROLL_UP) as ChartTable[];

type Due = { readonly before: Date; readonly limit: number };

/** Makes one row of those that different connections added to before an instant, the oldest first; how many went. @callers scheduler */
export function mergeCounterShards(sql: Sql, table: ShardedTable, due: Due): Promise<number> {
  return rollUp(sql, MERGE_SHARDS[table], due);
}

/**
 * Makes one row of the times before an instant, for each definition and currency, the oldest first; how many went. How much there
 * was in all stays exact; when it was is known no more. They must have been folded by `mergeCounterShards`. @callers scheduler
 */
export function rollUpChart(sql: Sql, table: ChartTable, due: Due): Promise<number> {
  return rollUp(sql, ROLL_UP[table], due);
}

async function rollUp(sql: Sql, text: string, { before, limit }: Due): Promise<number> {
  const { rows } = await sql.query<{ folded: number }>(text, [before, limit]);
  return rows[0]?.folded ?? 0;
}
