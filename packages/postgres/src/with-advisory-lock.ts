import type { Database, Sql } from './database.ts';

/** Work that runs in one process at a time. No other code uses these lock numbers. */
const LOCKS = {
  retention: 7_463_846_472,
  visits: 7_463_846_473,
  recount: 7_463_846_474,
  rotation: 7_463_846_475,
} as const;

/**
 * Runs `work` in a transaction under an advisory lock; returns `busy` if another process holds it.
 * The lock ends with the transaction, also if the process dies. @callers client-api, events, partitioned-log
 */
export function withAdvisoryLock<T>(
  db: Database,
  what: keyof typeof LOCKS,
  work: (sql: Sql) => Promise<T>,
): Promise<T | 'busy'> {
  return db.transaction(async (sql) => {
    const { rows } = await sql.query<{ is_ours: boolean }>(
      'select pg_try_advisory_xact_lock($1) as is_ours',
      [LOCKS[what]],
    );
    return rows[0]?.is_ours === true ? work(sql) : 'busy';
  });
}
