import type { Database } from './database.ts';

/** The database's clock. */
export async function readDatabaseTime(db: Database): Promise<number> {
  const { rows } = await db.sql.query<{ now: Date }>('select now() as now');
  return rows[0]?.now.getTime() ?? Number.NaN;
}
