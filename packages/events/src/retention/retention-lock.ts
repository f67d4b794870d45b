import { withAdvisoryLock } from '@tidings/postgres/with-advisory-lock';
import type { Database, Sql } from '@tidings/postgres/database';
import { forceIndexJoins } from '@tidings/postgres/force-index-joins';

/**
 * Runs one short retention step in a transaction that holds the retention lock. `busy` when another
 * process holds it.
 * @callers scheduler
 */
export function withRetentionLock<T>(
  db: Database,
  step: (sql: Sql) => Promise<T>,
): Promise<T | 'busy'> {
  return withAdvisoryLock(db, 'retention', async (sql) => {
    await forceIndexJoins(sql);
    return step(sql);
  });
}
