import type { EventKind } from '@tidings/contracts/ingest/ingest';
import { toEventRecord, type EventRow } from '@tidings/events/event-row';
import type { EventRecord } from '@tidings/events/events';
import {
  positionParameters,
  toArrivalPage,
  toScannedRange,
  type ArrivalPage,
} from '@tidings/events/ingest-log/arrival';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

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
  const { rows } = await db.sql.query<Row>(statement('list-events'), [
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
  const { rows } = await db.sql.query<{ slug: string }>(statement('list-slugs-of-definition'), [
    applicationId,
    definition,
  ]);
  return rows.map(({ slug }) => slug);
}
