import type { ErrorCode, FieldError } from '@tidings/contracts';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { placeParameters, toStretch, type Stretch } from './arrival.ts';
import type { IngestLogQuery, LoggedRefusal } from './log-entry.ts';

const statement = statementsIn(import.meta.dirname);

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
    whose === undefined ? statement('list-refused') : statement('list-refused-of-user'),
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

/** Whether a request of this application is listed as refused. */
export async function isRefused(
  db: Database,
  applicationId: string,
  requestId: string,
): Promise<boolean> {
  const { rowCount } = await db.sql.query(statement('is-refused'), [requestId, applicationId]);
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
