import type { EventKind } from '@tidings/contracts';
import {
  EVENT_COLUMNS,
  EVENT_DEFINITION,
  toEventRecord,
  type EventRow,
} from '@tidings/events/event-row';
import type { EventRecord } from '@tidings/events/events';
import {
  microsOf,
  positionParameters,
  toArrivalPage,
  toScannedRange,
  type ArrivalPage,
} from '@tidings/events/ingest-log/arrival';
import type { Database } from '@tidings/postgres/database';

/** Maximum events scanned per page, with and without a filter. */
const SCANNED_MAX = { filtered: 10_000, all: 1_000 } as const;

export type EventsQuery = {
  readonly applicationId: string;
  readonly limit: number;
  readonly cursor?: string;
  /** A slug or name. Includes definitions that are merged with it, in either direction. */
  readonly definition?: string;
  readonly type?: EventKind;
  /** Arrival in milliseconds since the epoch, from inclusive, to exclusive. */
  readonly from?: number;
  readonly to?: number;
  readonly requestId?: string;
};

/** An event, with the user if known. */
export type ListedEvent = EventRecord & {
  readonly requestId: string;
  readonly customUserId?: string;
};

type Row = EventRow & {
  readonly micros: number;
  readonly custom_user_id: string | null;
  readonly is_visible: boolean;
};

/**
 * A page of all events, newest arrival first. Events of unregistered users are not visible. Each
 * page scans a bounded number of rows; it may be short, and its cursor continues the scan.
 */
export async function listEvents(
  db: Database,
  query: EventsQuery,
): Promise<ArrivalPage<ListedEvent>> {
  const { applicationId, limit, cursor, definition, type, from, to, requestId } = query;
  const slugs = definition === undefined ? null : await listSlugs(db, applicationId, definition);
  const { rows } = await db.sql.query<Row>(EVENTS, [
    applicationId,
    ...positionParameters(cursor),
    SCANNED_MAX[type === undefined && slugs === null ? 'all' : 'filtered'],
    type ?? null,
    from === undefined ? null : new Date(from),
    to === undefined ? null : new Date(to),
    requestId ?? null,
    slugs,
    limit + 1,
  ]);
  const scannedTo = rows.find((row) => !row.is_visible);
  const found = rows
    .filter((row) => row.is_visible)
    .map((row) => ({ ...toPlace(row), item: toListedEvent(row) }));
  return toArrivalPage(
    [toScannedRange(found, limit, scannedTo === undefined ? null : toPlace(scannedTo))],
    limit,
  );
}

const toPlace = (row: Row) => ({
  micros: row.micros,
  requestId: row.request_id,
  index: row.message_index,
});

function toListedEvent(row: Row): ListedEvent {
  return {
    ...toEventRecord(row),
    requestId: row.request_id,
    ...(row.custom_user_id !== null && { customUserId: row.custom_user_id }),
  };
}

/** All slugs under which events of this definition are stored. */
async function listSlugs(
  db: Database,
  applicationId: string,
  definition: string,
): Promise<string[]> {
  const { rows } = await db.sql.query<{ slug: string }>(
    `with roots as (select coalesce(merged_into, slug) as slug from definitions where application_id = $1 and (slug = $2 or name = $2))
     select d.slug from definitions d join roots r on r.slug in (d.slug, d.merged_into) where d.application_id = $1`,
    [applicationId, definition],
  );
  return rows.map(({ slug }) => slug);
}

// If the scan hit its limit, its last row is returned too, marked as not visible: the position to
// continue from.
const EVENTS = `
  with scanned as (
    select * from events
    where application_id = $1
      and ($2::timestamptz is null or (received_at <= $2::timestamptz and (received_at, request_id, message_index) < ($2::timestamptz, $3::uuid, $4::int)))
      and ($7::timestamptz is null or received_at >= $7::timestamptz) and ($8::timestamptz is null or received_at < $8::timestamptz)
      and ($9::uuid is null or request_id = $9::uuid)
    order by received_at desc, request_id desc, message_index desc limit $5),
  visible as (
    select e.*, coalesce(root.custom_user_id, u.custom_user_id) as custom_user_id
    from scanned e left join users u on u.id = e.user_id left join users root on root.id = u.merged_into
    where ($6::text is null or e.type = $6) and ($10::text[] is null or e.slug = any($10::text[]))
      and (e.user_id is null or coalesce(root.registered_at, u.registered_at) is not null)
    order by e.received_at desc, e.request_id desc, e.message_index desc limit $11)
  select ${EVENT_COLUMNS}, ${microsOf('e.received_at')} as micros, e.custom_user_id, e.is_visible
  from (
    select *, true as is_visible from visible
    union all
    (select s.*, null, false from scanned s where (select count(*) from scanned) = $5
     order by s.received_at, s.request_id, s.message_index limit 1)) as e
  ${EVENT_DEFINITION}
  order by e.received_at desc, e.request_id desc, e.message_index desc, e.is_visible desc`;
