import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** The place of a receipt among all, by request and message. */
export type ReceiptPosition = { readonly requestId: string; readonly messageIndex: number };

export const FIRST_RECEIPT: ReceiptPosition = {
  requestId: '00000000-0000-0000-0000-000000000000',
  messageIndex: -1,
};

/**
 * Deletes held events, those of users who have not registered, whose receipts arrived before an instant: these are about
 * to go, and they are what tells held events from the many others. Looks at `limit` receipts from a place on; the answer
 * has the place to go on from, null at the end. @callers scheduler
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

/** Deletes events of an application that arrived before an instant, the oldest first, `limit` at most. @callers scheduler */
export async function deleteOldEvents(
  sql: Sql,
  {
    applicationId,
    before,
    limit,
  }: { readonly applicationId: string; readonly before: Date; readonly limit: number },
): Promise<number> {
  const { rowCount } = await sql.query(statement('delete-old-events'), [
    applicationId,
    before,
    limit,
  ]);
  return rowCount ?? 0;
}
