import { fileURLToPath } from 'node:url';
import { migrate as runMigrations } from 'postgres-migrations';
import { Client } from 'pg';

/** Plain SQL, a file for each step, numbered without a gap. */
export const MIGRATIONS_DIR = fileURLToPath(new URL('../migrations', import.meta.url));
const POSTGRES_VERSION_MIN = 180_000;

/**
 * Applies what is missing of `migrations/` under an advisory lock; a file that was applied and then edited is refused.
 * @throws Error when the server is older than Postgres 18 or a migration fails
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
    if (Number(rows[0]?.server_version_num) < POSTGRES_VERSION_MIN) {
      throw new Error('Tidings needs Postgres 18 or newer.');
    }
    await runMigrations({ client }, MIGRATIONS_DIR);
  } finally {
    await client.end();
  }
}
