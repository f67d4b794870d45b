import type { Database } from '../database.ts';
import { hashSecret } from '../secret-hash.ts';
import { emailKey } from './member.ts';

const FREE_FAILURES = 5;
const WAIT_MAX_SECONDS = 900;
const FORGOTTEN_AFTER = '1 day';

/** One account from one address: who guesses elsewhere does not keep its owner out. */
export type SignInPlace = { readonly email: string; readonly addressBlock: string };

const keyOf = ({ email, addressBlock }: SignInPlace): Uint8Array => hashSecret(`${emailKey(email)}|${addressBlock}`);

/**
 * Takes one guess: counted as a failure before the password is looked at, so that many at once are as many. After five each
 * further one doubles the wait before the next, from a second to 15 minutes. Null: go on; else the milliseconds to wait, and
 * this one did not count. @callers dashboard
 */
export async function takeGuess(db: Database, place: SignInPlace, nowMs: number): Promise<number | null> {
  const key = keyOf(place);
  const { rowCount } = await db.sql.query(
    `insert into sign_in_failures as f (key, failures, failed_at, blocked_until) values ($1, 1, $2, $2)
     on conflict (key) do update set
       failures = case when f.failed_at < $2::timestamptz - interval '${FORGOTTEN_AFTER}' then 1 else f.failures + 1 end,
       failed_at = $2,
       blocked_until = case when f.failures + 1 < ${FREE_FAILURES} or f.failed_at < $2::timestamptz - interval '${FORGOTTEN_AFTER}' then $2
                            else $2::timestamptz + interval '1 second' * least(${WAIT_MAX_SECONDS}, power(2, least(f.failures + 1 - ${FREE_FAILURES}, 20))) end
     where f.blocked_until <= $2`,
    [key, new Date(nowMs)],
  );
  if (rowCount === 1) return null;
  const { rows } = await db.sql.query<{ blocked_until: Date }>('select blocked_until from sign_in_failures where key = $1', [key]);
  return Math.max(1, (rows[0]?.blocked_until.getTime() ?? nowMs) - nowMs);
}

/** The right password: what was guessed before counts no more. @callers dashboard */
export async function forgetGuesses(db: Database, place: SignInPlace): Promise<void> {
  await db.sql.query('delete from sign_in_failures where key = $1', [keyOf(place)]);
}
