import type { Outside } from '../outside.ts';

/** The newest migration that the database has, by its number. */
export async function migrationOf({ db }: Outside): Promise<number> {
  const { rows } = await db.sql.query<{ newest: number }>(
    'select max(id)::int as newest from migrations',
  );
  return rows[0]?.newest ?? 0;
}
