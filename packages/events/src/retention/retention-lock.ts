import { withAdvisoryLock } from '@tidings/postgres/with-advisory-lock';
import type { Database, Sql } from '@tidings/postgres/database';
import { forceIndexJoins } from '@tidings/postgres/force-index-joins';

/** Runs one short step of the retention, in a transaction, unless another process is at one: then `busy`. @callers scheduler */
export function withRetentionLock<T>(
  db: Database,
  step: (sql: Sql) => Promise<T>,
): Promise<T | 'busy'> {
  return withAdvisoryLock(db, 'retention', async (sql) => {
    await forceIndexJoins(sql);
    return step(sql);
  });
}
