import { LIMITS, type MessageType } from '@tidings/contracts';
import type { Database } from '@tidings/postgres/database';
import { microsOf, placeParameters, toStretch, type Stretch } from './arrival.ts';
import type { IngestLogQuery, LoggedMessage } from './log-entry.ts';
import { SHOWN_RECEIPTS } from './outcome.ts';
import { isWhose, whoseParameters } from './whose.ts';

/** Messages that a filter looks at for one page. */
const SCANNED_MAX = 5_000;

export type LoggedMessageRow = {
  readonly micros: number;
  readonly request_id: string;
  readonly message_index: number;
  readonly message_id: string;
  readonly type: MessageType;
  readonly outcome: LoggedMessage['outcome'];
  readonly reason: LoggedMessage['reason'] | null;
};

export function toFound(row: LoggedMessageRow): Stretch<LoggedMessage>['found'][number] {
  return {
    micros: row.micros,
    requestId: row.request_id,
    index: row.message_index,
    item: {
      requestId: row.request_id,
      receivedAt: Math.floor(row.micros / 1000),
      index: row.message_index,
      id: row.message_id,
      type: row.type,
      outcome: row.outcome,
      ...(row.reason !== null && row.outcome !== 'pending' && { reason: row.reason }),
    },
  };
}

/** Only the row of the look itself, when it found nothing. */
type ScanRow = {
  readonly scanned_micros: number | null;
  readonly scanned_request_id: string | null;
  readonly is_end: boolean;
} & (LoggedMessageRow | { readonly message_id: null });

/** The messages of accepted requests from the newest on, those that pass the filters. */
export async function listAccepted(
  db: Database,
  query: IngestLogQuery,
): Promise<Stretch<LoggedMessage>> {
  const { applicationId, limit, cursor, requestId, outcome, reason, whose } = query;
  const isFiltered = outcome !== undefined || reason !== undefined || whose !== undefined;
  const { rows } = await db.sql.query<ScanRow>(ACCEPTED, [
    applicationId,
    ...placeParameters(cursor),
    // The request of the cursor was maybe shown but for its last message.
    (isFiltered ? SCANNED_MAX : limit + 1) + LIMITS.messagesMax,
    limit + 1,
    requestId ?? null,
    outcome ?? null,
    reason ?? null,
    ...whoseParameters(whose),
  ]);
  const found = rows.flatMap((row) => (row.message_id === null ? [] : [toFound(row)]));
  const [scan] = rows;
  const isCut =
    scan !== undefined &&
    !scan.is_end &&
    scan.scanned_micros !== null &&
    scan.scanned_request_id !== null;
  // Messages count down to 0: the place behind all of the last request.
  return toStretch(
    found,
    limit,
    isCut
      ? {
          micros: Number(scan.scanned_micros),
          requestId: String(scan.scanned_request_id),
          index: 0,
        }
      : null,
  );
}

const ACCEPTED = `
  with newest as (
    select request_id, received_at, message_count,
           coalesce(sum(message_count) over (order by received_at desc, request_id desc rows between unbounded preceding and 1 preceding), 0) as messages_before
    from (select request_id, received_at, message_count from ingest_requests
          where application_id = $1 and ($7::uuid is null or request_id = $7::uuid)
            and ($2::timestamptz is null or (received_at, request_id) <= ($2::timestamptz, $3::uuid))
          order by received_at desc, request_id desc limit $5) as r),
  scanned as (select * from newest where messages_before < $5),
  scan as (
    select (select count(*) from newest) < $5 and (select count(*) from scanned) = (select count(*) from newest) as is_end, last.*
    from (select 1) as one left join (
      select ${microsOf('received_at')} as scanned_micros, request_id as scanned_request_id
      from scanned order by received_at, request_id limit 1) as last on true)
  select scan.*, found.*
  from scan left join (
    select ${microsOf('m.received_at')} as micros, m.request_id, m.message_index, m.message_id, m.type, m.outcome, m.reason
    from (${SHOWN_RECEIPTS}
      where $2::timestamptz is null or (r.received_at, r.request_id, r.message_index) < ($2::timestamptz, $3::uuid, $4::int)) as m
    where ($8::text is null or m.outcome = $8) and ($9::text is null or m.reason = $9) and ${isWhose(10)}
    order by m.received_at desc, m.request_id desc, m.message_index desc limit $6) as found on true
  order by found.micros desc, found.request_id desc, found.message_index desc`;
