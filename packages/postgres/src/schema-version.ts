import { MIGRATIONS_DIR } from '@tidings/database/files';
import type { Logger } from '@tidings/platform';
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  isDatabaseUnavailable,
  isLoginRejected,
  isUndefinedTable,
  type Database,
} from './database.ts';

const POLL_MS = 500;
const NO_RIGHT = '42501';

type Found = number | 'away' | 'no_rights';

/** Number of the newest migration of this code. */
export function newestMigration(): number {
  return Math.max(...readdirSync(MIGRATIONS_DIR).map((file) => Number.parseInt(file, 10)));
}

/**
 * Resolves once the database has the migrations of this code. Each process waits by itself, so a
 * rolling update needs no start order. It also waits while the database is unavailable, and for the
 * step that grants the role its rights.
 * @throws other errors of Postgres, such as a wrong password
 */
export async function untilMigrated(db: Pick<Database, 'sql'>, logger: Logger): Promise<void> {
  const wanted = newestMigration();
  for (let told: Found | undefined; ; await delay(POLL_MS)) {
    const found = await appliedMigration(db).catch((error: unknown): Found => {
      if (isLoginRejected(error) || !isDatabaseUnavailable(error)) throw error;
      return 'away';
    });
    if (typeof found === 'number' && found >= wanted) return;
    if (found !== told)
      logger.info(
        { found, wanted },
        found === 'no_rights'
          ? 'waiting for the prepare step to grant the database role its rights'
          : 'waiting for the database to be migrated',
      );
    told = found;
  }
}

async function appliedMigration({ sql }: Pick<Database, 'sql'>): Promise<Found> {
  try {
    const { rows } = await sql.query<{ newest: number | null }>(
      'select max(id)::int as newest from migrations',
    );
    return rows[0]?.newest ?? 0;
  } catch (error) {
    // The first prepare step creates the table.
    if (isUndefinedTable(error)) return 0;
    if ((error as { readonly code?: unknown }).code === NO_RIGHT) return 'no_rights';
    throw error;
  }
}
