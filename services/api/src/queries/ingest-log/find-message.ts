import { toFound, type LoggedMessageRow } from '@tidings/events/ingest-log/accepted';
import type { ArrivalPage } from '@tidings/events/ingest-log/arrival';
import { toArrivalPage } from '@tidings/events/ingest-log/arrival';
import type { LoggedMessage, UserFilter } from '@tidings/events/ingest-log/log-entry';
import { mayMatchMessages, userFilterParameters } from '@tidings/events/ingest-log/user-filter';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Newest receipts scanned per reason, to find copies that were not stored. */
const SCANNED_PER_REASON = 2_000;

export type FindMessages = {
  readonly applicationId: string;
  readonly messageId: string;
  readonly userFilter?: UserFilter;
  readonly limit: number;
};

/**
 * The messages with an id, newest first: the stored one of any age, and recent ones per reason that
 * were not stored. An id is usually logged few times, so there is one page.
 */
export async function findMessages(
  db: Pick<Database, 'sql'>,
  { applicationId, messageId, userFilter, limit }: FindMessages,
): Promise<ArrivalPage<LoggedMessage>> {
  if (userFilter !== undefined && !mayMatchMessages(userFilter))
    return { items: [], nextCursor: null };
  const { rows } = await db.sql.query<LoggedMessageRow>(statement('find-messages'), [
    applicationId,
    messageId,
    limit,
    ...userFilterParameters(userFilter),
    SCANNED_PER_REASON,
  ]);
  return {
    ...toArrivalPage([{ found: rows.map(toFound), frontier: null }], limit),
    nextCursor: null,
  };
}
