import type { ExternalServices } from '../external-services.ts';

/** Number of the newest migration in the database. */
export async function readMigration({ db }: ExternalServices): Promise<number> {
  const { rows } = await db.sql.query<{ newest: number }>(
    'select max(id)::int as newest from migrations',
  );
  return rows[0]?.newest ?? 0;
}
