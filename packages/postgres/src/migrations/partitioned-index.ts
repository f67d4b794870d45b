import type { Client } from 'pg';

/** Marks a concurrent index on a partitioned table, which Postgres builds for partitions only. */
const FOR_EACH_PARTITION = /^-- For each partition$/m;
const INDEX = /^create index concurrently if not exists (\w+) on (\w+) ([^;]+);\s*$/m;
/** Others wait behind a lock that waits. */
const LOCK_TIMEOUT = '5s';

type PartitionedIndex = {
  readonly name: string;
  readonly table: string;
  /** Columns and what follows them. */
  readonly definition: string;
};

/** The index of a migration with the mark; null without it. @throws Error for another spelling */
export function partitionedIndexIn(sql: string): PartitionedIndex | null {
  if (!FOR_EACH_PARTITION.test(sql)) return null;
  const [, name, table, definition] = INDEX.exec(sql) ?? [];
  if (name === undefined || table === undefined || definition === undefined)
    throw new Error('an index for each partition is: create index concurrently if not exists …');
  return { name, table, definition };
}

/**
 * Builds an index on a partitioned table while others write. The index of the table is made first,
 * invalid and without rows: partitions that are made from then on have it. Each other partition
 * gets its own concurrently, which is attached then; with the last one the index is valid. It
 * continues where an interrupted run ended.
 */
export async function buildPartitionedIndex(
  client: Client,
  { name, table, definition }: PartitionedIndex,
): Promise<void> {
  await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
  try {
    await createForTable(client, { name, table, definition });
    for (;;) {
      const partition = await findPartitionWithout(client, { name, table });
      if (partition === null) return;
      await buildForPartition(client, { partition, name, table, definition });
    }
  } finally {
    await client.query('reset lock_timeout').catch(() => undefined);
  }
}

/**
 * It reads no row, but waits for transactions that write. Once it is made it is not asked for
 * again: `if not exists` would wait as well.
 */
async function createForTable(
  client: Client,
  { name, table, definition }: PartitionedIndex,
): Promise<void> {
  const { rows } = await client.query<{ isMissing: boolean }>(
    'select to_regclass($1) is null as "isMissing"',
    [name],
  );
  if (rows[0]?.isMissing === true)
    await client.query(`create index ${name} on only ${table} ${definition}`);
}

/** A partition whose index is not attached yet. */
async function findPartitionWithout(
  client: Client,
  { name, table }: Pick<PartitionedIndex, 'name' | 'table'>,
): Promise<string | null> {
  const { rows } = await client.query<{ partition: string }>(
    `select c.relname as partition from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass and not exists (
       select from pg_index x join pg_inherits attached on attached.inhrelid = x.indexrelid
       where x.indrelid = c.oid and attached.inhparent = $2::regclass)
     order by c.relname limit 1`,
    [table, name],
  );
  return rows[0]?.partition ?? null;
}

async function buildForPartition(
  client: Client,
  { partition, name, table, definition }: PartitionedIndex & { readonly partition: string },
): Promise<void> {
  const own = `${partition}_${name.startsWith(`${table}_`) ? name.slice(table.length + 1) : name}`;
  const { rows } = await client.query(
    `select 1 from pg_index where indexrelid = to_regclass($1) and not indisvalid`,
    [own],
  );
  // An interrupted run left it; `if not exists` would keep it.
  if (rows.length > 0) await client.query(`drop index concurrently ${own}`);
  try {
    // It waits for transactions, not for a lock that others wait behind.
    await client.query('reset lock_timeout');
    await client.query(
      `create index concurrently if not exists ${own} on ${partition} ${definition}`,
    );
    await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
    await client.query(`alter index ${name} attach partition ${own}`);
    // With stale statistics a question about all users may take minutes.
    await client.query(`analyze ${partition}`);
  } catch (error) {
    // Retention may drop the partition meanwhile.
    if (!isMissing(error)) throw error;
    await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
  }
}

const UNDEFINED_CODES = new Set(['42P01', '42704']);

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && UNDEFINED_CODES.has(String(error.code));
