import type { Database } from './database.ts';

/** Milliseconds since the epoch, by the clock of the database. */
export async function readDatabaseTime(db: Database): Promise<number> {
  const { rows } = await db.sql.query<{ now: Date }>('select now() as now');
  return rows[0]?.now.getTime() ?? Number.NaN;
}
