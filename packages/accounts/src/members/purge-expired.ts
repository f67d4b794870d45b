import type { Database } from '@tidings/postgres/database';
import { SESSION_AGE_MAX_MS, SESSION_IDLE_MS } from './sessions.ts';
import { FAILURE_TTL_MS, TRUSTED_SOURCE_TTL_MS } from './sign-in-attempts.ts';

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
    await db.sql.query(
      `delete from sessions where ctid = any(array(
         select ctid from sessions where seen_at <= $1 or created_at <= $2 limit $3 for update skip locked))`,
      [before(SESSION_IDLE_MS), before(SESSION_AGE_MAX_MS), limit],
    ),
    await db.sql.query(
      `delete from welcome_links where ctid = any(array(
         select ctid from welcome_links where expires_at <= $1 limit $2 for update skip locked))`,
      [before(0), limit],
    ),
    await db.sql.query(
      `delete from sign_in_failures where ctid = any(array(
         select ctid from sign_in_failures
         where failed_at <= $1 and blocked_until <= $2 and coalesce(let_in_at <= $3, true)
         limit $4 for update skip locked))`,
      [before(FAILURE_TTL_MS), before(0), before(TRUSTED_SOURCE_TTL_MS), limit],
    ),
  ];
  return Math.max(...deleted.map(({ rowCount }) => rowCount ?? 0));
}
