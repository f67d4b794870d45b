import type { Sql } from './database.ts';

/** A table whose rows go one by one: by which time, and which of them go. It has an index by that time. */
export type DueRows = { readonly table: string; readonly time: string; readonly where: string };

/**
 * Deletes rows older than an instant, the oldest first, `limit` at most; rows that another statement works on stay.
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
