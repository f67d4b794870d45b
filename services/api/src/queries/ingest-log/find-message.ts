import { toFound, type LoggedMessageRow } from '@tidings/events/ingest-log/accepted';
import type { ArrivalPage } from '@tidings/events/ingest-log/arrival';
import { microsOf, toArrivalPage } from '@tidings/events/ingest-log/arrival';
import type { LoggedMessage, UserFilter } from '@tidings/events/ingest-log/log-entry';
import { SHOWN_RECEIPTS } from '@tidings/events/ingest-log/outcome';
import {
  mayMatchMessages,
  matchesUserFilter,
  userFilterParameters,
} from '@tidings/events/ingest-log/user-filter';
import type { Database } from '@tidings/postgres/database';

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
  db: Database,
  { applicationId, messageId, userFilter, limit }: FindMessages,
): Promise<ArrivalPage<LoggedMessage>> {
  if (userFilter !== undefined && !mayMatchMessages(userFilter))
    return { items: [], nextCursor: null };
  const { rows } = await db.sql.query<LoggedMessageRow>(
    `with reasons(reason) as (
       select unnest(array['duplicate_id', 'duplicate_user_time', 'empty_name', 'unknown_slug', 'slug_kind_mismatch', 'unregistered_user', 'invalid_service_user_id',
                           'empty_user_id', 'identity_conflict', 'definition_discarded', 'definition_limit', 'dead_letter'])),
     known as (
       select request_id, message_index, received_at from holders_of($1, $2)
       union
       select r.request_id, r.message_index, r.received_at
       from reasons cross join lateral (
         select request_id, message_index, received_at, message_id from receipts
         where application_id = $1 and reason = reasons.reason order by received_at desc limit ${SCANNED_PER_REASON}) as r
       where r.message_id = $2),
     scanned as (select distinct request_id, received_at from known)
     select ${microsOf('m.received_at')} as micros, m.request_id, m.message_index, m.message_id, m.type, m.outcome, m.reason
     from (${SHOWN_RECEIPTS}) as m where m.message_id = $2 and ${matchesUserFilter(4)}
     order by m.received_at desc, m.request_id desc, m.message_index desc limit $3`,
    [applicationId, messageId, limit, ...userFilterParameters(userFilter)],
  );
  return {
    ...toArrivalPage([{ found: rows.map(toFound), frontier: null }], limit),
    nextCursor: null,
  };
}
