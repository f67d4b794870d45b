import type { Database } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { counterShard } from './counting.ts';
import type { Fenced } from './claims.ts';
import { columnsOf } from './delivery-data.ts';

const statement = statementsIn(import.meta.dirname);

const DELIVER_TO_INBOX = definePrepared(statement('deliver-to-inbox'));

export type InboxDelivery = Fenced & {
  /** The user whose devices may fetch it. */ readonly userId: string;
};

/**
 * Delivers claimed rows to the inbox of their users. For inbox channels this replaces marking,
 * sending and recording. One statement makes the checks of `markSending`, inserts into the inbox
 * and counts as waiting, exactly once; no outcome is ever ambiguous.
 * @param messages JSON of messages that were rendered for their user, by delivery; others get the
 * campaign's
 * @callers channel-worker
 */
export async function deliverToInbox(
  db: Pick<Database, 'sql'>,
  deliveries: readonly Fenced[],
  messages: ReadonlyMap<string, string> = new Map(),
): Promise<InboxDelivery[]> {
  if (deliveries.length === 0) return [];
  // Sorted, because the rows may be locked.
  const all = deliveries.toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1));
  const { rows } = await db.sql.query<{ id: string; fence: number; user_id: string }>(
    DELIVER_TO_INBOX,
    [
      all.map(({ deliveryId }) => deliveryId),
      all.map(({ fence }) => fence),
      counterShard,
      all.map(({ deliveryId }) => messages.get(deliveryId) ?? null),
      ...columnsOf(all),
    ],
  );
  return rows.map(({ id, fence, user_id: userId }) => ({ deliveryId: id, fence, userId }));
}
