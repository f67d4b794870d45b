import type { Sql } from './database.ts';

/**
 * Until the transaction ends, joins look rows up one by one: for work on few rows of very many. The planner would rather
 * read a table of middling size whole, and does not know that a look by arrival is into one partition of all.
 */
export async function forceIndexJoins(sql: Sql): Promise<void> {
  await sql.query('set local enable_hashjoin = off; set local enable_mergejoin = off');
}
