import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * The applications that keep events for a shorter time than the installation, with their days.
 * `installationDays` 0 means unlimited.
 */
export async function shorterEventRetentions(
  db: Database,
  installationDays: number,
): Promise<{ readonly applicationId: string; readonly days: number }[]> {
  const { rows } = await db.sql.query<{ id: string; days: number }>(
    statement('shorter-event-retentions'),
    [installationDays],
  );
  return rows.map((row) => ({ applicationId: row.id, days: row.days }));
}
