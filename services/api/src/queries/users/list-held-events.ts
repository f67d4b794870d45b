import type { EventRecord } from '@tidings/events/events';
import { listUserEvents } from '@tidings/events/user-events';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

export type HeldEvents = {
  readonly events: readonly EventRecord[];
  readonly nextCursor: string | null;
};

/**
 * A page of the events that are held until this customUserId is registered. Empty once it is; null
 * for a customUserId that was never seen.
 */
export async function listHeldEvents(
  db: Database,
  who: { readonly applicationId: string; readonly customUserId: string },
  page: { readonly cursor?: string; readonly limit: number },
): Promise<HeldEvents | null> {
  const { rows } = await db.sql.query<{ id: string; is_registered: boolean }>(
    statement('find-user-with-held-events'),
    [who.applicationId, who.customUserId],
  );
  const [user] = rows;
  if (user === undefined) return null;
  return user.is_registered ? { events: [], nextCursor: null } : listUserEvents(db, user.id, page);
}
