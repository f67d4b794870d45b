import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { SESSION_AGE_MAX_MS, SESSION_IDLE_MS } from './sessions.ts';
import { FAILURE_TTL_MS, TRUSTED_SOURCE_TTL_MS } from './sign-in-attempts.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * Deletes expired sessions and links, and sign-in failures that no longer count, at most `limit` of
 * each kind. Returns the largest of the three counts. Skips rows that another statement has locked.
 * @callers scheduler
 */
export async function purgeExpired(
  db: Database,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  const before = (ageMs: number): Date => new Date(nowMs - ageMs);
  const deleted = [
    await db.sql.query(statement('purge-sessions'), [
      before(SESSION_IDLE_MS),
      before(SESSION_AGE_MAX_MS),
      limit,
    ]),
    await db.sql.query(statement('purge-links'), [before(0), limit]),
    await db.sql.query(statement('purge-sign-in-failures'), [
      before(FAILURE_TTL_MS),
      before(0),
      before(TRUSTED_SOURCE_TTL_MS),
      limit,
    ]),
  ];
  return Math.max(...deleted.map(({ rowCount }) => rowCount ?? 0));
}
