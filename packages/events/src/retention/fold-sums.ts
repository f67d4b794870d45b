import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Sums that each connection adds to by itself: what makes one row of those of different connections. */
const FOLD = {
  ingest_minutes: statement('fold-ingest-minutes'),
  definition_hours: statement('fold-definition-hours'),
  event_quarters: statement('fold-event-quarters'),
} as const;
export type TableOfSums = keyof typeof FOLD;
export const TABLES_OF_SUMS = Object.keys(FOLD) as TableOfSums[];
/** Those that charts are drawn from: what makes one row of the times before an instant. */
const FOLD_CHART = {
  definition_hours: statement('fold-hours-of-charts'),
  event_quarters: statement('fold-quarters-of-charts'),
} as const;
export type TableOfCharts = keyof typeof FOLD_CHART;
export const TABLES_OF_CHARTS = Object.keys(FOLD_CHART) as TableOfCharts[];

type Due = { readonly before: Date; readonly limit: number };

/** Makes one row of those that different connections added to before an instant, the oldest first; how many went. @callers scheduler */
export function foldSums(sql: Sql, table: TableOfSums, due: Due): Promise<number> {
  return fold(sql, FOLD[table], due);
}

/**
 * Makes one row of the times before an instant, for each definition and currency, the oldest first; how many went. How much there
 * was in all stays exact; when it was is known no more. They must have been folded by `foldSums`. @callers scheduler
 */
export function foldChart(sql: Sql, table: TableOfCharts, due: Due): Promise<number> {
  return fold(sql, FOLD_CHART[table], due);
}

async function fold(sql: Sql, text: string, { before, limit }: Due): Promise<number> {
  const { rows } = await sql.query<{ folded: number }>(text, [before, limit]);
  return rows[0]?.folded ?? 0;
}
