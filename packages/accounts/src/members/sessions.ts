import type { Database } from '@tidings/postgres/database';
import { randomBytes } from 'node:crypto';
import { hashSecret } from '../secret-hash.ts';
import { MEMBER_COLUMNS, toMember, type Member, type MemberRow } from './member.ts';

const TOKEN_BYTES = 32;
const HOUR_MS = 3_600_000;
/** A session ends after 12 hours without a request, and 7 days after sign-in. */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
export const SESSION_AGE_MAX_MS = 7 * 24 * HOUR_MS;
/** Minimum time between two writes of `seen_at`: a page sends many requests at once. */
const LAST_USE_INTERVAL_MS = 60_000;

/**
 * Starts a session and returns its token. The token is returned only here; the database holds a
 * hash. The browser's previous session ends, so that a token planted in the browser is worthless
 * (session fixation).
 * @callers api
 */
export async function beginSession(
  db: Database,
  {
    memberId,
    nowMs,
    replaces,
  }: { readonly memberId: string; readonly nowMs: number; readonly replaces?: string | undefined },
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await db.transaction(async (sql) => {
    if (replaces !== undefined)
      await sql.query('delete from sessions where token_hash = $1', [hashSecret(replaces)]);
    await sql.query(
      'insert into sessions (token_hash, member_id, created_at, seen_at) values ($1, $2, $3, $3)',
      [hashSecret(token), memberId, new Date(nowMs)],
    );
    await sql.query('update members set signed_in_at = $2 where id = $1', [
      memberId,
      new Date(nowMs),
    ]);
  });
  return token;
}

/**
 * The member of a live session, with the current role; null for any other token. Records the time
 * of use at most once a minute.
 * @callers api
 */
export async function authenticateSession(
  db: Database,
  token: string,
  nowMs: number,
): Promise<Member | null> {
  const hash = hashSecret(token);
  const { rows } = await db.sql.query<MemberRow & { seen_at: Date }>(
    `select ${MEMBER_COLUMNS}, s.seen_at from sessions s join members m on m.id = s.member_id
     where s.token_hash = $1 and s.seen_at > $2 and s.created_at > $3`,
    [hash, new Date(nowMs - SESSION_IDLE_MS), new Date(nowMs - SESSION_AGE_MAX_MS)],
  );
  const [row] = rows;
  if (row === undefined) return null;
  if (row.seen_at.getTime() < nowMs - LAST_USE_INTERVAL_MS) {
    await db.sql.query(
      'update sessions set seen_at = greatest(seen_at, $2) where token_hash = $1',
      [hash, new Date(nowMs)],
    );
  }
  return toMember(row);
}

/** @callers api */
export async function endSession(db: Database, token: string): Promise<void> {
  await db.sql.query('delete from sessions where token_hash = $1', [hashSecret(token)]);
}
