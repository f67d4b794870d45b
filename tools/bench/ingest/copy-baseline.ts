import type { Database } from '@tidings/postgres/database';
import { join } from 'node:path';
import { keyTables } from '../rows/row-counts.ts';

/** Tables in which a stored event has a row, besides those of its keys. */
const TABLES = ['ingest_requests', 'receipts', 'events'] as const;

type Column = { readonly name: string };

/** Empties the tables except those of message keys, so that all rounds start equal. */
export async function emptyTables(db: Database): Promise<void> {
  await db.sql.query(`truncate ${TABLES.join(', ')}`);
  await db.sql.query('checkpoint');
}

/**
 * Seconds that Postgres needs to insert the current rows by COPY into the same tables with the same
 * indexes. From server-side files, one table after the other: no client, no network, no logic.
 */
export async function timeCopy(db: Database): Promise<number> {
  const tables = [...TABLES, ...(await keyTables(db))];
  const sources = await Promise.all(tables.map((table) => writeOut(db, table)));
  await db.sql.query(`truncate ${tables.join(', ')}`);
  await db.sql.query('checkpoint');
  const startedAt = performance.now();
  for (const { table, columns, file } of sources)
    await db.sql.query(`copy ${table} (${columns}) from '${file}'`);
  return (performance.now() - startedAt) / 1000;
}

async function writeOut(
  db: Database,
  table: string,
): Promise<{ table: string; columns: string; file: string }> {
  const { rows } = await db.sql.query<Column>(
    `select quote_ident(attname) as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  );
  const columns = rows.map(({ name }) => name).join(', ');
  // The data directory is the one place where Postgres can certainly write; it is deleted with the
  // installation.
  const directory = await db.sql.query<{ setting: string }>(
    `select setting from pg_settings where name = 'data_directory'`,
  );
  const file = join(directory.rows[0]?.setting ?? '', `${table}.copy`);
  await db.sql.query(`copy (select ${columns} from ${table}) to '${file}'`);
  return { table, columns, file };
}
