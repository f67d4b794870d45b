import type { Database, Sql } from '../database.ts';

/** Tables whose rows go one by one: by which time, and which of them stay all the same. Each has an index by that time. */
const TRACES = {
  message_keys: { time: 'received_at', where: 'true' },
  refused_requests: { time: 'received_at', where: 'true' },
  // What was asked for may still be on its way.
  dead_letters: { time: 'created_at', where: "(status <> 'replaying' or updated_at < $1)" },
  deleted_identities: { time: 'deleted_at', where: 'true' },
  webhook_deliveries: { time: 'created_at', where: 'true' },
  ingest_minutes: { time: 'minute', where: 'true' },
} as const;
/** What requests leave behind. */
export const TABLES_OF_TRACES = Object.keys(TRACES) as (keyof typeof TRACES)[];

const DUE_ROWS = { ...TRACES, audit_entries: { time: 'at', where: 'true' } } as const;
export type TableOfDueRows = keyof typeof DUE_ROWS;

/** Deletes rows older than an instant, the oldest first, `limit` at most; rows that somebody works on stay. @callers events-consumer */
export async function deleteDueRows(
  sql: Sql,
  table: TableOfDueRows,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const { time, where } = DUE_ROWS[table];
  const { rowCount } = await sql.query(
    `delete from ${table} where ctid = any(array(
       select ctid from ${table} where ${time} < $1 and ${where} order by ${time} limit $2 for update skip locked))`,
    [before, limit],
  );
  return rowCount ?? 0;
}

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

/** The database's clock. */
export async function readDatabaseTime(db: Database): Promise<number> {
  const { rows } = await db.sql.query<{ now: Date }>('select now() as now');
  return rows[0]?.now.getTime() ?? Number.NaN;
}
