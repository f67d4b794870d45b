import type { Database } from '@tidings/postgres/database';
import { prepared } from '@tidings/postgres/prepared';
import { addToCounters, counterShard } from './counting.ts';
import type { Fenced } from './claims.ts';

/**
 * SQL of the user whose devices get the delivery `d`, null when nobody is: the user may have been deleted since the delivery
 * was made. A test send names its user where others have an address.
 */
const RECIPIENT = `coalesce(
  (select u.id from users u where u.id = d.user_id),
  (select u.id from users u where u.application_id = d.application_id and u.custom_user_id = d.test_address and u.registered_at is not null))`;

const OFFER = prepared(
  `with offered as (
     update deliveries d set state = 'waiting', reason = null, attempts = d.attempts + 1, owner = null, lease_until = null, updated_at = now()
     from unnest($1::uuid[], $2::int[]) as x(id, fence)
     where d.id = x.id and d.fence = x.fence and d.state = 'claimed' and d.lease_until > now() and ${RECIPIENT} is not null
       and (select c.status = 'sending' and now() < c.expires_at from campaigns c where c.id = d.campaign_id)
     returning d.id, d.fence, d.attempts, d.campaign_id, d.application_id, d.channel, ${RECIPIENT} as user_id),
   counted as (${addToCounters(
     `select campaign_id, 'pending' as state, '' as reason, -1 as n from offered union all select campaign_id, 'waiting', '', 1 from offered`,
     '$3',
   )}),
   kept as (
     insert into inbox (delivery_id, application_id, user_id, channel, campaign_id, expires_at)
     select o.id, o.application_id, o.user_id, o.channel, o.campaign_id, c.expires_at from offered o join campaigns c on c.id = o.campaign_id),
   logged as (
     insert into campaign_events (campaign_id, type, delivery_id, attempt, status, fence)
     select campaign_id, 'delivery.waiting', id, attempts, 'waiting', fence from offered)
   select id, fence, user_id from offered`,
);

export type OfferedDelivery = Fenced & {
  /** Whose devices may fetch it. */ readonly userId: string;
};

/**
 * Offers claimed deliveries to the devices of their users: for channels whose messages are fetched, arming, sending and
 * recording in one. It makes the checks of arming (`armDeliveries`), and what passes them stands in the inbox and is
 * counted as waiting in the same statement, exactly once: nothing is ever in doubt. @callers channel-worker
 */
export async function offerDeliveries(
  db: Pick<Database, 'sql'>,
  deliveries: readonly Fenced[],
): Promise<OfferedDelivery[]> {
  if (deliveries.length === 0) return [];
  // In one order, for they may wait for locks.
  const all = deliveries.toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1));
  const { rows } = await db.sql.query<{ id: string; fence: number; user_id: string }>(OFFER, [
    all.map(({ deliveryId }) => deliveryId),
    all.map(({ fence }) => fence),
    counterShard,
  ]);
  return rows.map(({ id, fence, user_id: userId }) => ({ deliveryId: id, fence, userId }));
}
