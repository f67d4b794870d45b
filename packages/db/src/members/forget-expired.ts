import type { Database } from '../database.ts';
import { SESSION_AGE_MAX_MS, SESSION_IDLE_MS } from './sessions.ts';

const DAY_MS = 86_400_000;

/** Deletes sessions and links that nobody can use any more, and failed sign-ins of another day; says how many rows. @callers dashboard */
export async function forgetExpired(db: Database, nowMs: number): Promise<number> {
  const before = (ageMs: number): Date => new Date(nowMs - ageMs);
  const deleted = [
    await db.sql.query('delete from sessions where seen_at <= $1 or created_at <= $2', [before(SESSION_IDLE_MS), before(SESSION_AGE_MAX_MS)]),
    await db.sql.query('delete from welcome_links where expires_at <= $1', [before(0)]),
    await db.sql.query('delete from sign_in_failures where failed_at <= $1 and blocked_until <= $2', [before(DAY_MS), before(0)]),
  ];
  return deleted.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
}
