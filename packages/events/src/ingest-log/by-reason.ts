import type { ReceiptReason } from '@tidings/contracts/ingest/ingest';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { toFound, type LoggedMessageRow } from './accepted.ts';
import { positionParameters, toScannedRange, type ScannedRange } from './arrival.ts';
import type { IngestLogQuery, LoggedMessage } from './log-entry.ts';

const statement = statementsIn(import.meta.dirname);

/** Messages with one of these reasons, newest first, read from the index by reason. */
export async function listByReason(
  db: Database,
  {
    applicationId,
    limit,
    cursor,
    reasons,
  }: IngestLogQuery & { readonly reasons: readonly ReceiptReason[] },
): Promise<ScannedRange<LoggedMessage>> {
  const { rows } = await db.sql.query<LoggedMessageRow>(statement('list-by-reason'), [
    applicationId,
    ...positionParameters(cursor),
    limit + 1,
    reasons,
  ]);
  return toScannedRange(rows.map(toFound), limit, null);
}
