import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** The two consumers of the ingest topic. Each applies every record once. */
export type IngestConsumer = 'users' | 'events';

const TAKE: Readonly<Record<IngestConsumer, string>> = {
  users: definePrepared(statement('take-records-for-users')),
  events: definePrepared(statement('take-records-for-events')),
};

/**
 * Takes records for one consumer, by unique key. Leaves out records that any process has taken
 * before for this consumer, so that redelivery and replay change nothing. Must be the first
 * statement of a consumer's transaction.
 *
 * `isFirstSeen`: the other consumer has not taken the record either. Not set for records older than
 * a day: their receipts may have been purged while their events still exist.
 * @callers ingest-consumer
 */
export async function takeRecords(
  sql: Sql,
  consumer: IngestConsumer,
  records: readonly IngestRecord[],
): Promise<IngestRecord[]> {
  const byId = new Map(records.map((record) => [record.requestId, record]));
  const ordered = [...byId.values()].sort((a, b) => (a.requestId < b.requestId ? -1 : 1));
  const { rows } = await sql.query<{ request_id: string; is_first_seen: boolean }>(TAKE[consumer], [
    ordered.map((record) => record.requestId),
    ordered.map((record) => record.applicationId),
    ordered.map((record) => record.receivedAt),
    ordered.map((record) => record.messages.length),
  ]);
  const taken = new Map(rows.map((row) => [row.request_id, row.is_first_seen]));
  return [...byId.values()].flatMap((record) => {
    const isFirstSeen = taken.get(record.requestId);
    return isFirstSeen === undefined ? [] : [{ ...record, isFirstSeen }];
  });
}
