import type { ReceiptReason } from '@tidings/contracts';
import type { Database } from '@tidings/postgres/database';
import { toFound, type LoggedMessageRow } from './accepted.ts';
import { microsOf, placeParameters, toStretch, type Stretch } from './arrival.ts';
import type { IngestLogQuery, LoggedMessage } from './log-entry.ts';

/** The messages with one of these reasons, from the newest on: each reason has its place in an index. */
export async function listByReason(
  db: Database,
  {
    applicationId,
    limit,
    cursor,
    reasons,
  }: IngestLogQuery & { readonly reasons: readonly ReceiptReason[] },
): Promise<Stretch<LoggedMessage>> {
  const { rows } = await db.sql.query<LoggedMessageRow>(
    `select ${microsOf('r.received_at')} as micros, r.request_id, r.message_index, r.message_id, r.type, r.outcome, r.reason
     from unnest($6::text[]) as wanted(reason) cross join lateral (
       select * from receipts
       where application_id = $1 and reason = wanted.reason
         and ($2::timestamptz is null or (received_at <= $2::timestamptz and (received_at, request_id, message_index) < ($2::timestamptz, $3::uuid, $4::int)))
       order by received_at desc, request_id desc, message_index desc limit $5) as r
     order by r.received_at desc, r.request_id desc, r.message_index desc limit $5`,
    [applicationId, ...placeParameters(cursor), limit + 1, reasons],
  );
  return toStretch(rows.map(toFound), limit, null);
}
