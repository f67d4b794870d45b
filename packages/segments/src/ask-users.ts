import { isCanceled, type Database, type Sql } from '@tidings/postgres/database';
import { readNow } from './question-queue.ts';

/** Users are found by keys, and their events by an index: a scan would read all of them. */
const SETTINGS =
  'set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off; set local jit = off';
/** Of one statement. */
export const USERS_TIMEOUT_MS = 5_000;

/**
 * Runs a question about few users, in a transaction that reads only. Questions of callers wait for
 * their turn: see `Questions`.
 */
export async function askUsers<T>(
  db: Database,
  work: (sql: Sql, now: number) => Promise<T>,
): Promise<T | 'timed_out'> {
  try {
    return await db.transaction(
      async (sql) => {
        await sql.query(`set transaction read only; ${SETTINGS}`);
        return work(sql, await readNow(sql));
      },
      { statementTimeoutMs: USERS_TIMEOUT_MS },
    );
  } catch (error) {
    if (isCanceled(error)) return 'timed_out';
    throw error;
  }
}
