import type { Database } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { counterShard } from './counting.ts';
import type { Fenced } from './claims.ts';

const statement = statementsIn(import.meta.dirname);

const DELIVER_TO_INBOX = definePrepared(statement('deliver-to-inbox'));

export type InboxDelivery = Fenced & {
  /** Whose devices may fetch it. */ readonly userId: string;
};

/**
 * Offers claimed deliveries to the devices of their users: for channels whose messages are fetched, arming, sending and
 * recording in one. It makes the checks of arming (`markSending`), and what passes them stands in the inbox and is
 * counted as waiting in the same statement, exactly once: nothing is ever in doubt. @callers channel-worker
 */
export async function deliverToInbox(
  db: Pick<Database, 'sql'>,
  deliveries: readonly Fenced[],
): Promise<InboxDelivery[]> {
  if (deliveries.length === 0) return [];
  // In one order, for they may wait for locks.
  const all = deliveries.toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1));
  const { rows } = await db.sql.query<{ id: string; fence: number; user_id: string }>(
    DELIVER_TO_INBOX,
    [all.map(({ deliveryId }) => deliveryId), all.map(({ fence }) => fence), counterShard],
  );
  return rows.map(({ id, fence, user_id: userId }) => ({ deliveryId: id, fence, userId }));
}
