import type { Client } from 'pg';
import { readMigrations, type Migration } from './files.ts';
import { addToList, makeList, readList } from './list.ts';
import { buildPartitionedIndex, partitionedIndexIn } from './partitioned-index.ts';
import { planMigrations } from './plan.ts';

/** Marks a file with one statement that Postgres rejects inside a transaction. */
const NO_TRANSACTION = /^-- No transaction$/m;
/** The required spelling of a concurrent index: other spellings are not recognised. */
const CONCURRENT_INDEX = /^create (?:unique )?index concurrently if not exists (\w+)/gm;

/**
 * Migrates a locked database to the newest migration of a folder.
 * @throws Error if the database is rejected, before any change, or a migration fails
 */
export async function applyMigrations(client: Client, directory: string): Promise<void> {
  const migrations = await readMigrations(directory);
  const { toNote, toApply } = planMigrations(migrations, await readList(client));
  await makeList(client);
  await dropUnfinishedIndexes(client, migrations);
  for (const migration of toNote) await addToList(client, migration);
  for (const migration of toApply) await applyMigration(client, migration);
}

/**
 * Names of the indexes that a migration builds concurrently. Invalid leftovers of them are rebuilt.
 */
export function concurrentIndexesIn(sql: string): string[] {
  return [...sql.matchAll(CONCURRENT_INDEX)].map(([, name = '']) => name);
}

async function applyMigration(client: Client, migration: Migration): Promise<void> {
  const isInTransaction = !NO_TRANSACTION.test(migration.sql);
  try {
    if (isInTransaction) await client.query('begin');
    const partitioned = partitionedIndexIn(migration.sql);
    if (partitioned === null) await client.query(migration.sql);
    else await buildPartitionedIndex(client, partitioned);
    await addToList(client, migration);
    if (isInTransaction) await client.query('commit');
  } catch (error) {
    // The connection may be gone; report the first error.
    if (isInTransaction) await client.query('rollback').catch(() => undefined);
    throw new Error(`Migration ${migration.id}_${migration.name} failed.`, { cause: error });
  }
}

/** Drops invalid indexes of an interrupted run: `if not exists` would keep them. */
async function dropUnfinishedIndexes(
  client: Client,
  migrations: readonly Migration[],
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
     where not i.indisvalid and c.relkind = 'i' and c.relnamespace = current_schema()::regnamespace and c.relname = any($1)`,
    [migrations.flatMap(({ sql }) => concurrentIndexesIn(sql))],
  );
  for (const { name } of rows) await client.query(`drop index concurrently ${name}`);
}
