import type { Sql } from '../database.ts';
import { forgetVisitsOf } from '../links/link-visits.ts';
import { changeDeliveryStates } from './change-states.ts';
import { forgetInboxOf } from './inbox.ts';

/**
 * Takes a recipient's addresses out of their deliveries: what a provider said may name one, a test send has nothing
 * else, and where they had several each names a device. What waits for their devices is canceled. The deliveries stay, so
 * that the numbers of their campaigns do. @callers db
 */
export async function forgetRecipient(
  sql: Sql,
  { applicationId, customUserId, addresses, userIds }: { readonly applicationId: string; readonly customUserId: string; readonly addresses: readonly string[]; readonly userIds: readonly string[] },
): Promise<void> {
  // One look into the unique key for each campaign: no index begins with the recipient.
  const { rows } = await sql.query<{ id: string }>(
    `with own as (
       select d.id from campaigns c join deliveries d on d.campaign_id = c.id and d.custom_user_id = $2
       where c.application_id = $1 and c.source <> 'test'
       union all
       select d.id from campaigns c join deliveries d on d.campaign_id = c.id
       where c.application_id = $1 and c.source = 'test' and d.test_address = any($3)),
     locked as (select d.id from deliveries d where d.id in (select id from own) order by d.id for update),
     forgotten as (
       update deliveries d set test_address = null, provider_message = null,
              custom_user_id = case when d.test_address is null then d.custom_user_id else d.id::text end
       from locked where d.id = locked.id returning d.id, d.campaign_id, d.chunk_no, d.state, d.user_id),
     nameless as (
       update delivery_addresses a set device_id = null, provider_message = null
       from (select o.delivery_id, o.address_no from locked join delivery_addresses o on o.delivery_id = locked.id order by 1, 2 for update of o) own_addresses
       where a.delivery_id = own_addresses.delivery_id and a.address_no = own_addresses.address_no),
     -- A test send that was still to be made goes to nobody now, and ends as one to somebody unknown.
     looked_up as (
       update campaign_chunks k set unresolved_at = now()
       from (select distinct campaign_id, chunk_no from forgotten where user_id is null and state in ('pending', 'claimed') order by 1, 2) f
       where k.campaign_id = f.campaign_id and k.chunk_no = f.chunk_no),
     quiet as (update campaign_events e set detail = null from forgotten f where e.delivery_id = f.id and e.detail is not null)
     select id from forgotten`,
    [applicationId, customUserId, addresses],
  );
  await forgetVisitsOf(sql, rows.map((row) => row.id));
  const waiting = await forgetInboxOf(sql, userIds);
  await changeDeliveryStates(sql, ['waiting'], waiting.map((deliveryId) => ({ deliveryId, fence: null, state: 'canceled' })));
}
