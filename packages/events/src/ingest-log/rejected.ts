import type { ErrorCode, FieldError } from '@tidings/contracts/errors/error-codes';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { positionParameters, toScannedRange, type ScannedRange } from './arrival.ts';
import type { IngestLogQuery, LoggedRejection } from './log-entry.ts';

const statement = statementsIn(import.meta.dirname);

/** Maximum entries scanned for one page of a filtered list. */
const SCANNED_MAX = 5_000;
/** Sorted after the messages of the same request, part of which may have been accepted. */
const INDEX = -1;

type RejectedRow = {
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

/** Rejected requests that pass the filters, newest first. */
export async function listRejectedRequests(
  db: Database,
  { applicationId, limit, cursor, requestId, reason, userFilter }: IngestLogQuery,
): Promise<ScannedRange<LoggedRejection>> {
  const scannedMax = reason === undefined ? limit + 1 : SCANNED_MAX;
  const { rows } = await db.sql.query<RejectedRow>(
    userFilter === undefined
      ? statement('list-rejected-requests')
      : statement('list-rejected-requests-of-user'),
    [
      applicationId,
      ...positionParameters(cursor),
      scannedMax,
      requestId ?? null,
      ...(userFilter === undefined ? [] : [userFilter.customUserId, userFilter.serviceUserIds]),
    ],
  );
  const last = rows.length === scannedMax ? rows.at(-1) : undefined;
  const found = rows
    .filter(({ code }) => reason === undefined || code === reason)
    .map((row) => ({ ...positionOf(row), item: toRejection(row) }));
  return toScannedRange(found, limit, last === undefined ? null : positionOf(last));
}

/** Whether the log has an entry for a rejected request of this application. */
export async function isRejectedRequest(
  db: Database,
  applicationId: string,
  requestId: string,
): Promise<boolean> {
  const { rowCount } = await db.sql.query(statement('is-rejected-request'), [
    requestId,
    applicationId,
  ]);
  return rowCount === 1;
}

const positionOf = (row: RejectedRow) => ({
  micros: row.micros,
  requestId: row.request_id,
  index: INDEX,
});

function toRejection(row: RejectedRow): LoggedRejection {
  return {
    requestId: row.request_id,
    receivedAt: Math.floor(row.micros / 1000),
    outcome: 'rejected',
    status: row.status,
    code: row.code,
    path: row.path,
    errors: row.errors,
    ...(row.address !== null && { address: row.address }),
    ...(row.unlisted > 0 && { unlisted: row.unlisted }),
    ...(row.custom_user_id !== null && { customUserId: row.custom_user_id }),
  };
}
