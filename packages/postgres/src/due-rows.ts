import type { Sql } from './database.ts';

/**
 * A table with expiring rows: its time column, and a condition for the rows to delete. The time
 * column is indexed.
 */
export type DueRows = { readonly table: string; readonly time: string; readonly where: string };

/**
 * Deletes at most `limit` rows older than `before`, oldest first; skips locked rows.
 * @callers scheduler
 */
export async function deleteDueRows(
  sql: Sql,
  { table, time, where }: DueRows,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const { rowCount } = await sql.query(
    `delete from ${table} where ctid = any(array(
       select ctid from ${table} where ${time} < $1 and ${where} order by ${time} limit $2 for update skip locked))`,
    [before, limit],
  );
  return rowCount ?? 0;
}
