import { MIGRATIONS_DIR } from '@tidings/database/files';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { applyMigrations } from './migrations/apply.ts';
import { grantPublicRole } from './public-role.ts';

export { concurrentIndexesIn } from './migrations/apply.ts';

const POSTGRES_VERSION_MIN = 180_000;
/** That of runners of versions before, too: theirs and ours take turns. */
const LOCK = '-8525285245963000605';
const LOCK_POLL_MS = 200;

/**
 * Applies the migrations that are missing and gives the public role its rights, under an advisory lock; a file that was
 * applied and then edited is refused, and a database that stopped before the baseline.
 * @throws Error when the server is older than Postgres 18, the database is refused or a migration fails
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
