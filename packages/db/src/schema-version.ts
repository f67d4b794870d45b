import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@tidings/platform';
import { isDatabaseAway, isLockedOut, type Database } from './database.ts';
import { MIGRATIONS_DIR } from './migrate.ts';

const POLL_MS = 500;
const UNDEFINED_TABLE = '42P01';

/** The newest migration that this code knows, by its number. */
export function newestMigration(): number {
  return Math.max(...readdirSync(MIGRATIONS_DIR).map((file) => Number.parseInt(file, 10)));
}

/**
 * Resolves once the database is as new as this code or newer: what is migrated beside a rolling update is waited for by
 * each process itself, so that nothing else has to order their starts. A database that is away is waited for too.
 * @throws what else Postgres refuses the question with, such as a wrong password
 */
export async function untilMigrated(db: Pick<Database, 'sql'>, logger: Logger): Promise<void> {
  const wanted = newestMigration();
  for (let told: number | 'away' | undefined; ; await delay(POLL_MS)) {
    const found = await appliedMigration(db).catch((error: unknown) => {
      if (isLockedOut(error) || !isDatabaseAway(error)) throw error;
      return 'away' as const;
    });
    if (found !== 'away' && found >= wanted) return;
    if (found !== told) logger.info({ found, wanted }, 'waiting for the database to be migrated');
    told = found;
  }
}

async function appliedMigration({ sql }: Pick<Database, 'sql'>): Promise<number> {
  try {
    const { rows } = await sql.query<{ newest: number | null }>('select max(id)::int as newest from migrations');
    return rows[0]?.newest ?? 0;
  } catch (error) {
    // The very first migration makes the table.
    if ((error as { readonly code?: unknown }).code === UNDEFINED_TABLE) return 0;
    throw error;
  }
}
