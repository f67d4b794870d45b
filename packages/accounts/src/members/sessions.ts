import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { randomBytes } from 'node:crypto';
import { hashSecret } from '../secret-hash.ts';
import { toMember, type Member, type MemberRow } from './member.ts';

const statement = statementsIn(import.meta.dirname);

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
    if (replaces !== undefined) await sql.query(statement('end-session'), [hashSecret(replaces)]);
    await sql.query(statement('begin-session'), [hashSecret(token), memberId, new Date(nowMs)]);
    await sql.query(statement('record-sign-in'), [memberId, new Date(nowMs)]);
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
  const { rows } = await db.sql.query<MemberRow & { seen_at: Date }>(statement('find-session'), [
    hash,
    new Date(nowMs - SESSION_IDLE_MS),
    new Date(nowMs - SESSION_AGE_MAX_MS),
  ]);
  const [row] = rows;
  if (row === undefined) return null;
  if (row.seen_at.getTime() < nowMs - LAST_USE_INTERVAL_MS) {
    await db.sql.query(statement('record-session-use'), [hash, new Date(nowMs)]);
  }
  return toMember(row);
}

/** @callers api */
export async function endSession(db: Database, token: string): Promise<void> {
  await db.sql.query(statement('end-session'), [hashSecret(token)]);
}

/** Leaves the links that could start new ones. @callers accounts */
export async function endSessionsOf(sql: Sql, memberId: string): Promise<void> {
  await sql.query(statement('end-sessions-of-member'), [memberId]);
}
