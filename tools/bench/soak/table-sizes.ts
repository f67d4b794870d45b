import type { Database } from '@tidings/postgres/database';

/** A table with all its partitions. */
export type TableSize = {
  readonly table: string;
  readonly rows: number;
  readonly tableBytes: number;
  readonly indexBytes: number;
};

/** Row counts from Postgres statistics; counting rows would be a load of its own. */
export async function readTableSizes(db: Database): Promise<TableSize[]> {
  const { rows } = await db.sql.query<TableSize>(
    `with parts as (
       select coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as "table", c.oid
       from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r')
     select "table", sum(pg_table_size(oid))::float8 as "tableBytes", sum(pg_indexes_size(oid))::float8 as "indexBytes",
            sum(coalesce(pg_stat_get_live_tuples(oid), 0))::float8 as rows
     from parts group by 1 order by 1`,
  );
  return rows;
}
