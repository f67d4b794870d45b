import {
  type MessageType,
  type ReceiptReason,
  messageIndexOf,
  type IngestRecord,
} from '@tidings/contracts';
import { plainArray } from '@tidings/postgres/array-parameter';
import type { Sql } from '@tidings/postgres/database';
/** What a consumer decided about one of its messages; `pending` for those of the other consumer. */
export type Receipt = {
  readonly outcome: 'pending' | 'stored' | 'processed' | 'duplicate' | 'dropped';
  readonly reason?: ReceiptReason;
  /** Of what is stored as an event or has a reason: by these a deletion finds the receipts that name its user. */
  readonly userId?: string | null;
};

type ReceiptsOfRecord = { readonly record: IngestRecord; readonly receipts: readonly Receipt[] };

/** A receipt that is settled stays as it is. */
const SETTLE_PENDING = `on conflict (request_id, message_index, received_at) do update
     set outcome = excluded.outcome, reason = excluded.reason, user_id = excluded.user_id
     where r.outcome = 'pending' and excluded.outcome <> 'pending'`;

/**
 * Writes a receipt for every message of the records: the first consumer to see a record names them all, each fills in
 * its own. A receipt that is settled stays as it is.
 * @callers ingest-consumer, users-consumer, events-consumer
 */
export async function writeReceipts(
  sql: Sql,
  receipts: readonly ReceiptsOfRecord[],
): Promise<void> {
  await insertReceipts(
    sql,
    receipts.filter(({ record }) => record.isFirstSeen),
    '',
  );
  await insertReceipts(
    sql,
    receipts.filter(({ record }) => !record.isFirstSeen),
    SETTLE_PENDING,
  );
}

/** To look for a conflict where none can be costs Postgres a third of the insertion. */
async function insertReceipts(
  sql: Sql,
  receipts: readonly ReceiptsOfRecord[],
  onConflict: string,
): Promise<void> {
  const rows = [...receipts]
    .sort((a, b) => (a.record.requestId < b.record.requestId ? -1 : 1))
    .flatMap(({ record, receipts: own }) =>
      record.messages.map((message, index) => ({
        record,
        message,
        index,
        receipt: own[index] ?? { outcome: 'pending' as const },
      })),
    );
  if (rows.length === 0) return;
  await sql.query(
    `insert into receipts as r (request_id, message_index, application_id, message_id, type, outcome, reason, user_id, received_at)
     select request_id, message_index, application_id, message_id, type, outcome, reason, user_id, to_timestamp(received_at / 1000.0)
     from unnest($1::uuid[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::uuid[], $9::float8[])
       as x(request_id, message_index, application_id, message_id, type, outcome, reason, user_id, received_at)
     ${onConflict}`,
    [
      plainArray(rows.map(({ record }) => record.requestId)),
      plainArray(rows.map(messageIndexOf)),
      plainArray(rows.map(({ record }) => record.applicationId)),
      rows.map(({ message }) => message.id),
      plainArray(rows.map(({ message }) => message.type)),
      plainArray(rows.map(({ receipt }) => receipt.outcome)),
      plainArray(rows.map(({ receipt }) => receipt.reason ?? null)),
      plainArray(rows.map(({ receipt }) => receipt.userId ?? null)),
      plainArray(rows.map(({ record }) => record.receivedAt)),
    ],
  );
}

/**
 * Makes the messages of these kinds pending again that were set aside with their record; how many those are.
 * @callers ingest-consumer
 */
export async function reopenReceipts(
  sql: Sql,
  record: IngestRecord,
  kinds: readonly MessageType[],
): Promise<number> {
  const { rowCount } = await sql.query(
    `update receipts set outcome = 'pending', reason = null
     where request_id = $1 and received_at = to_timestamp($2::float8 / 1000.0) and type = any($3) and outcome = 'dropped' and reason = 'dead_letter'`,
    [record.requestId, record.receivedAt, kinds],
  );
  return rowCount ?? 0;
}
