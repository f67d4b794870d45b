import { MIGRATIONS_DIR } from '@tidings/database/files';
import type { Logger } from '@tidings/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { applyMigrations } from './migrations/apply.ts';
import { grantPublicRole } from './public-role.ts';

export { concurrentIndexesIn } from './migrations/apply.ts';

const POSTGRES_VERSION_MIN = 180_000;
/** The lock of earlier releases too, so old and new runners exclude each other. */
const LOCK = '-8525285245963000605';
const LOCK_POLL_MS = 200;

/**
 * Applies missing migrations and grants the rights of the public role, under an advisory lock.
 * Rejects a file that was edited after it was applied, and a database older than the baseline.
 * @throws Error if the server is older than Postgres 18, the database is rejected or a migration
 * fails
 */
export function migrate(databaseUrl: string, logger?: Logger): Promise<void> {
  return whileLocked(databaseUrl, async (client) => {
    await applyMigrations(client, MIGRATIONS_DIR, logger);
    await grantPublicRole(client);
  });
}

/** Like `migrate`, with the migrations of another folder and without grants. */
export function migrateFrom(
  directory: string,
  databaseUrl: string,
  logger?: Logger,
): Promise<void> {
  return whileLocked(databaseUrl, (client) => applyMigrations(client, directory, logger));
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

/**
 * Takes the lock until the connection ends. It polls: a concurrent index build of another runner
 * would wait for a statement that waits for the lock.
 */
async function lock(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ isOurs: boolean }>(
      `select pg_try_advisory_lock(${LOCK}) as "isOurs"`,
    );
    if (rows[0]?.isOurs === true) return;
    await delay(LOCK_POLL_MS);
  }
}
