import type { Sql } from './database.ts';

/**
 * Disables hash and merge joins until the transaction ends, for work on few rows of large tables.
 * The planner would otherwise scan a medium table, and does not know that a look-up by arrival time
 * reads one partition only.
 */
export async function forceIndexJoins(sql: Sql): Promise<void> {
  await sql.query('set local enable_hashjoin = off; set local enable_mergejoin = off');
}
