import { LIMITS } from '@tidings/contracts/limits';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Deletes up to `limit` of the oldest rehearsals after their days. Returns how many. @callers scheduler */
export async function deleteOldRehearsals(sql: Sql, limit: number): Promise<number> {
  const { rowCount } = await sql.query(statement('delete-old-rehearsals'), [
    LIMITS.rehearsalDaysMax,
    limit,
  ]);
  return rowCount ?? 0;
}
