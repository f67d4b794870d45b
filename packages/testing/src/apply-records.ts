import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { takeRecords, type IngestConsumer } from '@tidings/events/take-records';
import type { Database, Sql } from '@tidings/postgres/database';
import { transactUntilDone } from './database.ts';

export type RecordApplier = {
  readonly consumer: IngestConsumer;
  readonly apply: (sql: Sql, records: readonly IngestRecord[]) => Promise<void>;
};

/** Applies records in one transaction as a consumer of the ingest topic does: those it took before are left out. */
export function applyRecords(
  db: Database,
  { consumer, apply }: RecordApplier,
  records: readonly IngestRecord[],
): Promise<void> {
  return transactUntilDone(db, async (sql) => {
    const taken = await takeRecords(sql, consumer, records);
    if (taken.length > 0) await apply(sql, taken);
  });
}
