import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { migrate as runMigrations } from 'postgres-migrations';
import { Client } from 'pg';
import { grantPublicRole } from './public-role.ts';

/** Plain SQL, a file for each step, numbered without a gap. */
export const MIGRATIONS_DIR = fileURLToPath(new URL('../migrations', import.meta.url));
const POSTGRES_VERSION_MIN = 180_000;
/** What postgres-migrations locks. */
const LOCK = '-8525285245963000605';
const LOCK_POLL_MS = 200;
/** How files spell an index that is made while others write: no other spelling is found. */
const CONCURRENT_INDEX = /^create (?:unique )?index concurrently if not exists (\w+)/gm;

/**
 * Applies the migrations that are missing and gives the public role its rights, under an advisory lock; a file that was
 * applied and then edited is refused.
 * @throws Error when the server is older than Postgres 18 or a migration fails
 */
export function migrate(databaseUrl: string): Promise<void> {
  return whileLocked(databaseUrl, async (client) => {
    await applyMigrations(client, MIGRATIONS_DIR);
    await grantPublicRole(client);
  });
}

/** As `migrate`, with the migrations of another folder and no rights. */
export function migrateFrom(directory: string, databaseUrl: string): Promise<void> {
  return whileLocked(databaseUrl, (client) => applyMigrations(client, directory));
}

async function whileLocked(
  databaseUrl: string,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
    if (Number(rows[0]?.server_version_num) < POSTGRES_VERSION_MIN) {
      throw new Error('Tidings needs Postgres 18 or newer.');
    }
    await lock(client);
    await work(client);
  } finally {
    await client.end();
  }
}

async function applyMigrations(client: Client, directory: string): Promise<void> {
  await dropUnfinishedIndexes(client, directory);
  await runMigrations({ client }, directory);
}

/** Names of the indexes that a migration makes while others write, and that are begun anew where they were left unfinished. */
export function concurrentIndexesIn(sql: string): string[] {
  return [...sql.matchAll(CONCURRENT_INDEX)].map(([, name = '']) => name);
}

/** Until the connection ends. It asks again and again: a statement that waits would be waited for by the index that another one makes. */
async function lock(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ isOurs: boolean }>(
      `select pg_try_advisory_lock(${LOCK}) as "isOurs"`,
    );
    if (rows[0]?.isOurs === true) return;
    await delay(LOCK_POLL_MS);
  }
}

/** What a process leaves behind that ended in the middle: `if not exists` would take it for the index. */
async function dropUnfinishedIndexes(client: Client, directory: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
     where not i.indisvalid and c.relkind = 'i' and c.relnamespace = current_schema()::regnamespace and c.relname = any($1)`,
    [await concurrentIndexesOf(directory)],
  );
  for (const { name } of rows) await client.query(`drop index concurrently ${name}`);
}

async function concurrentIndexesOf(directory: string): Promise<string[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql'));
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')));
  return texts.flatMap(concurrentIndexesIn);
}
