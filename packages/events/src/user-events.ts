import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { toEventRecord, type EventRow } from './event-row.ts';
import type { EventRecord } from './events.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * A page of a user's events, newest event time first, including merged anonymous users. The cursor
 * is opaque.
 */
export async function listUserEvents(
  db: Database,
  userId: string,
  page: { readonly cursor?: string; readonly limit: number },
): Promise<{ readonly events: EventRecord[]; readonly nextCursor: string | null }> {
  const [time, requestId, index] = page.cursor?.split('_') ?? [];
  const { rows } = await db.sql.query<EventRow>(statement('list-user-events'), [
    userId,
    time ?? null,
    requestId ?? null,
    index ?? null,
    page.limit + 1,
  ]);
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const hasMore = rows.length > page.limit && last !== undefined;
  return {
    events: shown.map(toEventRecord),
    nextCursor: hasMore ? `${last.time}_${last.request_id}_${last.message_index}` : null,
  };
}
