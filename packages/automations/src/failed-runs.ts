import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * Runs of all automations that were given up and not tried again, also those that retention has
 * deleted since. It reads few rows: the counters of each version, by their key.
 */
export async function countFailedRuns(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ failed: number }>(statement('count-failed-runs'));
  return rows[0]?.failed ?? 0;
}
