import type { Database } from '@tidings/postgres/database';

/** Rows that an installation has before a measurement. */
export type RowCounts = {
  readonly messageKeys: number;
  readonly deliveries: number;
  readonly users: number;
};

/** `full`: a month of a small shop. `small`: to try a bench; the figures mean nothing. */
export const ROW_COUNTS = {
  full: { messageKeys: 10_000_000, deliveries: 3_000_000, users: 1_000_000 },
  small: { messageKeys: 100_000, deliveries: 30_000, users: 10_000 },
} as const satisfies Readonly<Record<string, RowCounts>>;
export type RowsName = keyof typeof ROW_COUNTS | 'none';

/**
 * Tables of message keys, which hold the ids that duplicates are found by: of this version, and of
 * one before it that is compared.
 */
export async function keyTables(db: Database): Promise<readonly string[]> {
  const { rows } = await db.sql.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname in ('message_keys', 'duplicate_keys')
     order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Counts the rows and reads their size on disk, indexes included; one line to print. */
export async function describeRows(db: Database): Promise<string> {
  const tables = [...(await keyTables(db)), 'deliveries', 'users'];
  const described = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await db.sql.query<{ n: number; mebibytes: number }>(
        `select (select count(*)::float8 from ${table}) as n,
                pg_total_relation_size($1::regclass)::float8 / 1048576 as mebibytes`,
        [table],
      );
      const { n = NaN, mebibytes = NaN } = rows[0] ?? {};
      return `${table} ${n} (${mebibytes.toFixed(0)} MiB)`;
    }),
  );
  return described.join(', ');
}
