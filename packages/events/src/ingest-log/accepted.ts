import type { MessageType } from '@tidings/contracts/ingest/ingest';
import { LIMITS } from '@tidings/contracts/limits';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { positionParameters, toScannedRange, type ScannedRange } from './arrival.ts';
import type { IngestLogQuery, LoggedMessage } from './log-entry.ts';
import { userFilterParameters } from './user-filter.ts';

const statement = statementsIn(import.meta.dirname);

/** Maximum messages scanned for one page of a filtered list. */
const SCANNED_MAX = 5_000;

export type LoggedMessageRow = {
  readonly micros: number;
  readonly request_id: string;
  readonly message_index: number;
  readonly message_id: string;
  readonly type: MessageType;
  readonly outcome: LoggedMessage['outcome'];
  readonly reason: NonNullable<LoggedMessage['reason']> | null;
};

export function toFound(row: LoggedMessageRow): ScannedRange<LoggedMessage>['found'][number] {
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

/** If nothing was found, the single row holds only where the scan ended. */
type ScanRow = {
  readonly scanned_micros: number | null;
  readonly scanned_request_id: string | null;
  readonly is_end: boolean;
} & (LoggedMessageRow | { readonly message_id: null });

/** Messages of accepted requests that pass the filters, newest first. */
export async function listAccepted(
  db: Database,
  query: IngestLogQuery,
): Promise<ScannedRange<LoggedMessage>> {
  const { applicationId, limit, cursor, requestId, outcome, reason, userFilter } = query;
  const isFiltered = outcome !== undefined || reason !== undefined || userFilter !== undefined;
  const { rows } = await db.sql.query<ScanRow>(statement('list-accepted'), [
    applicationId,
    ...positionParameters(cursor),
    // The cursor's request may have been listed except for its last message.
    (isFiltered ? SCANNED_MAX : limit + 1) + LIMITS.messagesMax,
    limit + 1,
    requestId ?? null,
    outcome ?? null,
    reason ?? null,
    ...userFilterParameters(userFilter),
  ]);
  const found = rows.flatMap((row) => (row.message_id === null ? [] : [toFound(row)]));
  const [scan] = rows;
  const isCut =
    scan !== undefined &&
    !scan.is_end &&
    scan.scanned_micros !== null &&
    scan.scanned_request_id !== null;
  // Messages are listed by descending index, so index 0 is the end of the last request.
  return toScannedRange(
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
