import type { Database } from '@tidings/postgres/database';
import { EVENT_COLUMNS, EVENT_DEFINITION, toEventRecord, type EventRow } from './event-row.ts';
import type { EventRecord } from './events.ts';

/** A page of a user's events, newest first by event time, those of its anonymous past included. The cursor is opaque. */
export async function listUserEvents(
  db: Database,
  userId: string,
  page: { readonly cursor?: string; readonly limit: number },
): Promise<{ readonly events: EventRecord[]; readonly nextCursor: string | null }> {
  const [time, requestId, index] = page.cursor?.split('_') ?? [];
  const { rows } = await db.sql.query<EventRow>(
    `select ${EVENT_COLUMNS}
     from (select newest.* from users u cross join lateral (
             select * from events where user_id = u.id
               and ($2::bigint is null or (time, request_id, message_index) < ($2::bigint, $3::uuid, $4::int))
             order by time desc, request_id desc, message_index desc limit $5) newest
           where u.id = $1 or u.merged_into = $1
           order by newest.time desc, newest.request_id desc, newest.message_index desc limit $5) e
     ${EVENT_DEFINITION}
     order by e.time desc, e.request_id desc, e.message_index desc`,
    [userId, time ?? null, requestId ?? null, index ?? null, page.limit + 1],
  );
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const hasMore = rows.length > page.limit && last !== undefined;
  return {
    events: shown.map(toEventRecord),
    nextCursor: hasMore ? `${last.time}_${last.request_id}_${last.message_index}` : null,
  };
}
