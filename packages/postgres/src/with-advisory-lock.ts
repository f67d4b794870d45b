import { ADVISORY_LOCKS, type AdvisoryLock } from './advisory-locks.ts';
import type { Database, Sql } from './database.ts';

/**
 * Runs `work` in a transaction under an advisory lock; returns `busy` if another process holds it.
 * The lock ends with the transaction, also if the process dies. @callers client-api, events, partitioned-log
 */
export function withAdvisoryLock<T>(
  db: Database,
  what: AdvisoryLock,
  work: (sql: Sql) => Promise<T>,
): Promise<T | 'busy'> {
  return db.transaction(async (sql) => ((await tryAdvisoryLock(sql, what)) ? work(sql) : 'busy'));
}

/** Takes the lock until the transaction ends; false if another one holds it. @callers delivery */
export async function tryAdvisoryLock(sql: Sql, what: AdvisoryLock): Promise<boolean> {
  const { rows } = await sql.query<{ is_ours: boolean }>(
    'select pg_try_advisory_xact_lock($1) as is_ours',
    [ADVISORY_LOCKS[what]],
  );
  return rows[0]?.is_ours === true;
}

/** Waits for the lock, and holds it until the transaction ends. @callers accounts */
export async function waitForAdvisoryLock(sql: Sql, what: AdvisoryLock): Promise<void> {
  await sql.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS[what]]);
}
