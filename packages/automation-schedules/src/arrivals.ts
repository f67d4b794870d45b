import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { appendChanges } from '@tidings/user-changes/changes';

const statement = statementsIn(import.meta.dirname);

/**
 * Gives some of those who were stored to the engine, about `limit`, and as many of each application.
 * Returns whether there may be more.
 * @callers scheduler
 */
export function appendArrivals(db: Database, limit: number): Promise<boolean> {
  return db.transaction(async (sql) => {
    const { rows } = await sql.query<{ automation_id: string; user_id: string; at: number }>(
      statement('take-arrivals'),
      [limit],
    );
    await appendChanges(
      sql,
      rows.map((row) => ({
        kind: 'trigger',
        userId: row.user_id,
        automationId: row.automation_id,
        trigger: 'schedule',
        at: row.at,
      })),
    );
    return rows.length > 0;
  });
}

/** Deletes what is left of people. @callers automations */
export async function forgetArrivals(sql: Sql, userIds: readonly string[]): Promise<void> {
  await sql.query(statement('delete-arrivals-of-people'), [userIds]);
}
