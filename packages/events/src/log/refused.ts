import type { ErrorCode, FieldError } from '@tidings/contracts';
import type { Database } from '@tidings/postgres/database';
import { microsOf, placeParameters, toStretch, type Stretch } from './arrival.ts';
import type { IngestLogQuery, LoggedRefusal } from './log-entry.ts';

/** Entries that a filter looks at for one page. */
const SCANNED_MAX = 5_000;
/** Behind the messages of the same request: some of it may have been accepted. */
const INDEX = -1;

type RefusedRow = {
  readonly micros: number;
  readonly request_id: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly path: string;
  readonly errors: readonly FieldError[];
  readonly address: string | null;
  readonly unlisted: number;
  readonly custom_user_id: string | null;
};

/** Refused requests from the newest on, those that pass the filters. */
export async function listRefused(
  db: Database,
  { applicationId, limit, cursor, requestId, reason, whose }: IngestLogQuery,
): Promise<Stretch<LoggedRefusal>> {
  const scannedMax = reason === undefined ? limit + 1 : SCANNED_MAX;
  const { rows } = await db.sql.query<RefusedRow>(
    `select ${microsOf('r.received_at')} as micros, r.request_id, r.status, r.code, r.path, r.errors, r.address, r.unlisted, r.custom_user_id
     from (${whose === undefined ? newestWhere('true') : NEWEST_OF_USER}) as r order by r.received_at desc, r.request_id desc limit $5`,
    [
      applicationId,
      ...placeParameters(cursor),
      scannedMax,
      requestId ?? null,
      ...(whose === undefined ? [] : [whose.customUserId, whose.serviceUserIds]),
    ],
  );
  const last = rows.length === scannedMax ? rows.at(-1) : undefined;
  const found = rows
    .filter(({ code }) => reason === undefined || code === reason)
    .map((row) => ({ ...placeOf(row), item: toRefusal(row) }));
  return toStretch(found, limit, last === undefined ? null : placeOf(last));
}

const newestWhere = (condition: string): string => `
  (select * from refused_requests
   where application_id = $1 and ${condition}
     and ($2::timestamptz is null or ((received_at, request_id) <= ($2::timestamptz, $3::uuid)
          and (received_at, request_id, ${INDEX}) < ($2::timestamptz, $3::uuid, $4::int)))
     and ($6::uuid is null or request_id = $6::uuid)
   order by received_at desc, request_id desc limit $5)`;

/** Each id has its place in an index. */
const NEWEST_OF_USER = `
  ${newestWhere('custom_user_id = $7::text')}
  union all
  select own.* from unnest($8::uuid[]) as named(id) cross join lateral ${newestWhere('service_user_id = named.id')} as own`;

/** Whether a request of this application is listed as refused. */
export async function isRefused(
  db: Database,
  applicationId: string,
  requestId: string,
): Promise<boolean> {
  const { rowCount } = await db.sql.query(
    'select 1 from refused_requests where request_id = $1 and application_id = $2',
    [requestId, applicationId],
  );
  return rowCount === 1;
}

const placeOf = (row: RefusedRow) => ({
  micros: row.micros,
  requestId: row.request_id,
  index: INDEX,
});

function toRefusal(row: RefusedRow): LoggedRefusal {
  return {
    requestId: row.request_id,
    receivedAt: Math.floor(row.micros / 1000),
    outcome: 'refused',
    status: row.status,
    code: row.code,
    path: row.path,
    errors: row.errors,
    ...(row.address !== null && { address: row.address }),
    ...(row.unlisted > 0 && { unlisted: row.unlisted }),
    ...(row.custom_user_id !== null && { customUserId: row.custom_user_id }),
  };
}
