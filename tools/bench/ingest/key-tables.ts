import type { Database } from '@tidings/postgres/database';
import { keyTables } from '../rows/row-counts.ts';

/**
 * Runs a round with empty tables of message keys in the place of the kept ones. Both kinds of round
 * then alternate on one installation. No consumer may run meanwhile except within `round`: it would
 * use a table that is renamed.
 */
export async function withEmptyKeys<T>(db: Database, round: () => Promise<T>): Promise<T> {
  const tables = await keyTables(db);
  for (const table of tables) {
    await db.sql.query(`alter table ${table} rename to ${aside(table)}`);
    await db.sql.query(`create table ${table} (like ${aside(table)} including all)`);
  }
  try {
    return await round();
  } finally {
    for (const table of tables) {
      await db.sql.query(`drop table ${table}`);
      await db.sql.query(`alter table ${aside(table)} rename to ${table}`);
    }
  }
}

const aside = (table: string): string => `kept_${table}`;
