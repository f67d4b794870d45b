import type { Database, Sql } from '../database.ts';
import { joinByIndex } from '../join-by-index.ts';

/** Any number that nothing else locks by. */
const RETENTION_LOCK = 7_463_846_472;

/** Runs one short step of the retention, in a transaction, unless another process is at one: then `busy`. @callers events-consumer */
export function asOnlyRetention<T>(db: Database, step: (sql: Sql) => Promise<T>): Promise<T | 'busy'> {
  return db.transaction(async (sql) => {
    const { rows } = await sql.query<{ is_ours: boolean }>('select pg_try_advisory_xact_lock($1) as is_ours', [RETENTION_LOCK]);
    if (rows[0]?.is_ours !== true) return 'busy';
    await joinByIndex(sql);
    return step(sql);
  });
}
