import type { MessageType, ReceiptReason } from '@tidings/contracts/ingest/ingest';
import { messageIndexOf, type IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { pgArrayLiteral } from '@tidings/postgres/pg-array-literal';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

const INSERT_RECEIPTS = definePrepared(statement('insert-receipts'));

/** The decision of a consumer about a message; `pending` for messages of the other consumer. */
export type Receipt = {
  readonly outcome: 'pending' | 'stored' | 'processed' | 'duplicate' | 'dropped';
  readonly reason?: ReceiptReason;
  /** Set for stored events and for messages with a reason: user deletion finds receipts by it. */
  readonly userId?: string | null;
  /** Not written: readers derive it from the row of the stored event. */
  readonly isDerived?: boolean;
};

const PENDING: Receipt = { outcome: 'pending' };

type ReceiptsOfRecord = { readonly record: IngestRecord; readonly receipts: readonly Receipt[] };

/**
 * Writes a receipt for every message of the records, except derived ones. The first consumer of a
 * record writes all its receipts; each consumer settles its own messages. A settled receipt never
 * changes. A pending row stays when the receipt becomes derived, and readers prefer the event:
 * deleting the row would be another write.
 * @callers ingest-consumer, users-consumer, events-consumer
 */
export async function writeReceipts(
  sql: Sql,
  receipts: readonly ReceiptsOfRecord[],
): Promise<void> {
  await insertReceipts(
    sql,
    receipts.filter(({ record }) => record.isFirstSeen),
    INSERT_RECEIPTS,
  );
  await insertReceipts(
    sql,
    receipts.filter(({ record }) => !record.isFirstSeen),
    statement('insert-or-settle-receipts'),
  );
}

/**
 * A separate statement without `on conflict`: the conflict check would cost a third of the
 * insertion.
 */
async function insertReceipts(
  sql: Sql,
  receipts: readonly ReceiptsOfRecord[],
  text: string,
): Promise<void> {
  const rows = [...receipts]
    .sort((a, b) => (a.record.requestId < b.record.requestId ? -1 : 1))
    .flatMap(({ record, receipts: own }) =>
      record.messages.map((message, index) => ({
        record,
        message,
        index,
        receipt: own[index] ?? PENDING,
      })),
    )
    .filter(({ receipt }) => receipt.isDerived !== true);
  if (rows.length === 0) return;
  await sql.query(text, [
    pgArrayLiteral(rows.map(({ record }) => record.requestId)),
    pgArrayLiteral(rows.map(messageIndexOf)),
    pgArrayLiteral(rows.map(({ record }) => record.applicationId)),
    rows.map(({ message }) => message.id),
    pgArrayLiteral(rows.map(({ message }) => message.type)),
    pgArrayLiteral(rows.map(({ receipt }) => receipt.outcome)),
    pgArrayLiteral(rows.map(({ receipt }) => receipt.reason ?? null)),
    pgArrayLiteral(rows.map(({ receipt }) => receipt.userId ?? null)),
    pgArrayLiteral(rows.map(({ record }) => record.receivedAt)),
  ]);
}

/**
 * Makes messages of these kinds pending again that were dropped with their record as a dead letter.
 * Returns how many.
 * @callers ingest-consumer
 */
export async function reopenReceipts(
  sql: Sql,
  record: IngestRecord,
  kinds: readonly MessageType[],
): Promise<number> {
  const { rowCount } = await sql.query(statement('reopen-receipts'), [
    record.requestId,
    record.receivedAt,
    kinds,
  ]);
  return rowCount ?? 0;
}
