import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Position of a receipt, ordered by request and message. */
export type ReceiptPosition = { readonly requestId: string; readonly messageIndex: number };

export const FIRST_RECEIPT: ReceiptPosition = {
  requestId: '00000000-0000-0000-0000-000000000000',
  messageIndex: -1,
};

/**
 * Deletes held events (of unregistered users) whose receipts arrived before an instant. Uses the
 * receipts, because these are about to be dropped, and only they distinguish held events cheaply:
 * an event has none if its user was registered when it was stored. Reads `limit` receipts from a
 * position. Returns the position to continue from, or null at the end.
 * @callers scheduler
 */
export async function deleteHeldEvents(
  sql: Sql,
  {
    before,
    after,
    limit,
  }: { readonly before: Date; readonly after: ReceiptPosition; readonly limit: number },
): Promise<{ readonly deleted: number; readonly next: ReceiptPosition | null }> {
  const { rows: page } = await sql.query<{
    request_id: string;
    message_index: number;
    received_at: Date;
    is_held: boolean;
  }>(statement('find-held-events'), [before, after.requestId, after.messageIndex, limit]);
  const held = page.filter((row) => row.is_held);
  const { rowCount } = await sql.query(statement('delete-held-events'), [
    held.map((row) => row.request_id),
    held.map((row) => row.message_index),
    held.map((row) => row.received_at),
  ]);
  const last = page.at(-1);
  const next =
    page.length < limit || last === undefined
      ? null
      : { requestId: last.request_id, messageIndex: last.message_index };
  return { deleted: rowCount ?? 0, next };
}

/**
 * Deletes up to `limit` events of an application that arrived before an instant, oldest first. The
 * log keeps the receipts of its requests. Returns how many.
 * @callers scheduler
 */
export async function deleteOldEvents(
  sql: Sql,
  {
    applicationId,
    before,
    limit,
  }: { readonly applicationId: string; readonly before: Date; readonly limit: number },
): Promise<number> {
  const { rows } = await sql.query<{ deleted: number }>(statement('delete-old-events'), [
    applicationId,
    before,
    limit,
  ]);
  return rows[0]?.deleted ?? 0;
}
