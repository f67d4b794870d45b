import type { Database } from '@tidings/postgres/database';
import { SESSION_AGE_MAX_MS, SESSION_IDLE_MS } from './sessions.ts';
import { FAILURES_COUNT_FOR_MS, KNOWN_PLACE_FOR_MS } from './sign-in-failures.ts';

/** Deletes sessions and links that nobody can use any more, and failed sign-ins that count no more; says how many rows. @callers api */
export async function forgetExpired(db: Database, nowMs: number): Promise<number> {
  const before = (ageMs: number): Date => new Date(nowMs - ageMs);
  const deleted = [
    await db.sql.query('delete from sessions where seen_at <= $1 or created_at <= $2', [
      before(SESSION_IDLE_MS),
      before(SESSION_AGE_MAX_MS),
    ]),
    await db.sql.query('delete from welcome_links where expires_at <= $1', [before(0)]),
    await db.sql.query(
      'delete from sign_in_failures where failed_at <= $1 and blocked_until <= $2 and coalesce(let_in_at <= $3, true)',
      [before(FAILURES_COUNT_FOR_MS), before(0), before(KNOWN_PLACE_FOR_MS)],
    ),
  ];
  return deleted.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
}
