import type { Database, Sql } from '../database.ts';

/** Any number that nothing else locks by. */
const RETENTION_LOCK = 7_463_846_472;

/** Runs one short step of the retention, in a transaction, unless another process is at one: then `busy`. @callers events-consumer */
export function asOnlyRetention<T>(db: Database, step: (sql: Sql) => Promise<T>): Promise<T | 'busy'> {
  return db.transaction(async (sql) => {
    const { rows } = await sql.query<{ is_ours: boolean }>('select pg_try_advisory_xact_lock($1) as is_ours', [RETENTION_LOCK]);
    if (rows[0]?.is_ours !== true) return 'busy';
    // A step takes few rows of very many: each by index. The planner would rather read a table of middling size whole.
    await sql.query('set local enable_hashjoin = off; set local enable_mergejoin = off');
    return step(sql);
  });
}
