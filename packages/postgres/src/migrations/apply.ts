import { retry, type Logger } from '@tidings/platform';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { isLockTimeout, isTransactionConflict } from '../database.ts';
import { readMigrations, type Migration } from './files.ts';
import { addToList, makeList, readList } from './list.ts';
import { buildPartitionedIndex, partitionedIndexIn } from './partitioned-index.ts';
import { planMigrations } from './plan.ts';

/** Marks a file with one statement that Postgres rejects inside a transaction. */
const NO_TRANSACTION = /^-- No transaction$/m;
/** The required spelling of a concurrent index: other spellings are not recognised. */
const CONCURRENT_INDEX = /^create (?:unique )?index concurrently if not exists (\w+)/gm;

/**
 * Services work meanwhile: one may hold a lock for longer than the `lock_timeout`, or hold one that
 * the migration waits for while it waits for one of the migration.
 */
const SCHEDULE = { attemptsMax: 10, baseMs: 200, capMs: 2_000 };
/** Others wait behind a lock that waits, for up to the `lock_timeout` of 5 s: as long they go on. */
const PAUSE_MS = 5_000;

/**
 * Migrates a locked database to the newest migration of a folder.
 * @throws Error if the database is rejected, before any change, or a migration fails
 */
export async function applyMigrations(
  client: Client,
  directory: string,
  logger?: Logger,
): Promise<void> {
  const migrations = await readMigrations(directory);
  const { toNote, toApply } = planMigrations(migrations, await readList(client));
  await makeList(client);
  for (const migration of toNote) await addToList(client, migration);
  for (const migration of toApply) await applyMigration(client, migration, logger);
}

/**
 * Names of the indexes that a migration builds concurrently. Invalid leftovers of them are rebuilt.
 */
export function concurrentIndexesIn(sql: string): string[] {
  return [...sql.matchAll(CONCURRENT_INDEX)].map(([, name = '']) => name);
}

/**
 * Again after a lock timeout or a deadlock. Nothing of a transaction was kept; an index that is
 * built without one is begun anew, or continued.
 */
async function applyMigration(
  client: Client,
  migration: Migration,
  logger?: Logger,
): Promise<void> {
  const name = `${migration.id}_${migration.name}`;
  try {
    const tryIt = async (count: number): Promise<void> => {
      if (count > 0) await delay(PAUSE_MS);
      try {
        await attempt(client, migration);
      } catch (error) {
        if (isInUse(error))
          logger?.warn({ migration: name, attempts: count + 1, error }, 'a migration met a lock');
        throw error;
      }
    };
    await retry(SCHEDULE, tryIt, { isRetryable: isInUse });
  } catch (error) {
    throw new Error(`Migration ${name} failed.`, { cause: error });
  }
}

const isInUse = (error: unknown): boolean => isLockTimeout(error) || isTransactionConflict(error);

async function attempt(client: Client, migration: Migration): Promise<void> {
  if (NO_TRANSACTION.test(migration.sql)) {
    await dropUnfinishedIndexes(client, migration);
    await change(client, migration);
    return;
  }
  try {
    await client.query('begin');
    await change(client, migration);
    await client.query('commit');
  } catch (error) {
    // The connection may be gone; report the first error.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function change(client: Client, migration: Migration): Promise<void> {
  const partitioned = partitionedIndexIn(migration.sql);
  if (partitioned === null) await client.query(migration.sql);
  else await buildPartitionedIndex(client, partitioned);
  await addToList(client, migration);
}

/** Drops invalid indexes of an interrupted attempt: `if not exists` would keep them. */
async function dropUnfinishedIndexes(client: Client, { sql }: Migration): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
     where not i.indisvalid and c.relkind = 'i' and c.relnamespace = current_schema()::regnamespace and c.relname = any($1)`,
    [concurrentIndexesIn(sql)],
  );
  for (const { name } of rows) await client.query(`drop index concurrently ${name}`);
}
