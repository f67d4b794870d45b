import type { Database } from '@tidings/postgres/database';

/** The applications that keep events for a shorter time than the installation does, and for how many days; `installationDays` 0 is for ever. */
export async function shorterEventRetentions(
  db: Database,
  installationDays: number,
): Promise<{ readonly applicationId: string; readonly days: number }[]> {
  const { rows } = await db.sql.query<{ id: string; days: number }>(
    `select id, days from (
       select id, case when jsonb_typeof(settings -> 'eventRetentionDays') = 'number' then (settings ->> 'eventRetentionDays')::float8 end as days
       from applications) a where days > 0 and days < coalesce(nullif($1::float8, 0), 'infinity') order by id`,
    [installationDays],
  );
  return rows.map((row) => ({ applicationId: row.id, days: row.days }));
}
