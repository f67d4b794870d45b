import { asOnly } from '@tidings/postgres/as-only';
import type { Database, Sql } from '@tidings/postgres/database';
import { joinByIndex } from '@tidings/postgres/join-by-index';

/** Runs one short step of the retention, in a transaction, unless another process is at one: then `busy`. @callers scheduler */
export function withRetentionLock<T>(
  db: Database,
  step: (sql: Sql) => Promise<T>,
): Promise<T | 'busy'> {
  return asOnly(db, 'retention', async (sql) => {
    await joinByIndex(sql);
    return step(sql);
  });
}
