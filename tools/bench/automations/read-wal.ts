import type { Sql } from '@tidings/postgres/database';

/** Bytes of WAL that the server has written. */
export async function readWal(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ bytes: number }>(
    `select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes`,
  );
  return rows[0]?.bytes ?? NaN;
}
