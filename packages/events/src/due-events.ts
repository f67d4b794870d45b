import type { Sql } from '@tidings/postgres/database';

/** The place of a receipt among all, by request and message. */
export type ReceiptPlace = { readonly requestId: string; readonly messageIndex: number };

export const FIRST_RECEIPT: ReceiptPlace = {
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
  }: { readonly before: Date; readonly after: ReceiptPlace; readonly limit: number },
): Promise<{ readonly deleted: number; readonly next: ReceiptPlace | null }> {
  const { rows: page } = await sql.query<{
    request_id: string;
    message_index: number;
    received_at: Date;
    is_held: boolean;
  }>(
    `select r.request_id, r.message_index, r.received_at,
            r.outcome = 'stored' and u.id is not null and coalesce(root.registered_at, u.registered_at) is null as is_held
     from (select request_id, message_index, received_at, outcome, user_id from receipts
           where received_at < $1 and (request_id, message_index) > ($2::uuid, $3::int)
           order by request_id, message_index limit $4) r
     left join users u on u.id = r.user_id left join users root on root.id = u.merged_into
     order by r.request_id, r.message_index`,
    [before, after.requestId, after.messageIndex, limit],
  );
  const held = page.filter((row) => row.is_held);
  const { rowCount } = await sql.query(
    `delete from events e using unnest($1::uuid[], $2::int[], $3::timestamptz[]) as h(request_id, message_index, received_at)
     where e.request_id = h.request_id and e.message_index = h.message_index and e.received_at = h.received_at`,
    [
      held.map((row) => row.request_id),
      held.map((row) => row.message_index),
      held.map((row) => row.received_at),
    ],
  );
  const last = page.at(-1);
  const next =
    page.length < limit || last === undefined
      ? null
      : { requestId: last.request_id, messageIndex: last.message_index };
  return { deleted: rowCount ?? 0, next };
}

/** Deletes events of an application that arrived before an instant, the oldest first, `limit` at most. @callers scheduler */
export async function deleteEventsOf(
  sql: Sql,
  {
    applicationId,
    before,
    limit,
  }: { readonly applicationId: string; readonly before: Date; readonly limit: number },
): Promise<number> {
  const { rowCount } = await sql.query(
    `delete from events e using (
       select request_id, message_index, received_at from events where application_id = $1 and received_at < $2 order by received_at limit $3) due
     where e.request_id = due.request_id and e.message_index = due.message_index and e.received_at = due.received_at`,
    [applicationId, before, limit],
  );
  return rowCount ?? 0;
}
