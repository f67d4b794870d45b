import {
  CHANNEL_DESCRIPTORS,
  parseWebPushSubscription,
  type Channel,
  type DeliveryState,
} from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { forgetVisitsOf } from './link-visits.ts';
import { changeDeliveryStates, type StateChange } from './change-states.ts';
import { forgetInboxOf } from './inbox.ts';

/** What has not left yet, also when a worker has just claimed it: arming refuses it from the commit on. */
const UNSENT: readonly DeliveryState[] = ['pending', 'claimed', 'retry_wait'];

/**
 * Takes a recipient's addresses out of their deliveries: what a provider said may name one, a test send has nothing
 * else, and where they had several each names a device. What waits for their devices is canceled, and what was still to be
 * sent ends as what goes to somebody unknown. The deliveries stay, so that the numbers of their campaigns do. @callers user-data
 */
export async function forgetRecipient(
  sql: Sql,
  {
    applicationId,
    customUserId,
    addresses,
    userIds,
  }: {
    readonly applicationId: string;
    readonly customUserId: string;
    readonly addresses: readonly string[];
    readonly userIds: readonly string[];
  },
): Promise<void> {
  const testSends = await findTestSends(sql, applicationId, addresses);
  // One look into the unique key for each campaign: no index begins with the recipient.
  const { rows } = await sql.query<{ id: string; is_unsent: boolean }>(
    `with own as (
       select d.id from campaigns c join deliveries d on d.campaign_id = c.id and d.custom_user_id = $2
       where c.application_id = $1 and c.source <> 'test'
       union all
       select unnest($3::uuid[])),
     locked as (select d.id from deliveries d where d.id in (select id from own) order by d.id for update),
     forgotten as (
       update deliveries d set test_address = null, device_id = null, provider_message = null,
              custom_user_id = case when d.test_address is null then d.custom_user_id else d.id::text end
       from locked where d.id = locked.id
       returning d.id, d.addressed_at is null and d.doubts = 0 and d.state in (${UNSENT.map((state) => `'${state}'`).join(', ')}) as is_unsent),
     nameless as (
       update delivery_addresses a set device_id = null, provider_message = null
       from (select o.delivery_id, o.address_no from locked join delivery_addresses o on o.delivery_id = locked.id order by 1, 2 for update of o) own_addresses
       where a.delivery_id = own_addresses.delivery_id and a.address_no = own_addresses.address_no),
     quiet as (update campaign_events e set detail = null from forgotten f where e.delivery_id = f.id and e.detail is not null)
     select id, is_unsent from forgotten`,
    [applicationId, customUserId, testSends],
  );
  await forgetPauseWords(sql, applicationId, addresses);
  await forgetVisitsOf(
    sql,
    rows.map((row) => row.id),
  );
  const waiting = await forgetInboxOf(sql, userIds);
  await changeDeliveryStates(
    sql,
    [...UNSENT, 'waiting'],
    [
      ...rows
        .filter((row) => row.is_unsent)
        .map(({ id }): StateChange => ({
          deliveryId: id,
          fence: null,
          state: 'failed',
          reason: 'unknown_user',
        })),
      ...waiting.map((deliveryId): StateChange => ({ deliveryId, fence: null, state: 'canceled' })),
    ],
  );
}

/** The test sends to any of these addresses, however they were written. */
async function findTestSends(
  sql: Sql,
  applicationId: string,
  addresses: readonly string[],
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string; channel: Channel; test_address: string }>(
    `select d.id, d.channel, d.test_address from campaigns c join deliveries d on d.campaign_id = c.id
     where c.application_id = $1 and c.source = 'test' and d.test_address is not null`,
    [applicationId],
  );
  const own = new Map<Channel, ReadonlySet<string>>();
  return rows.flatMap(({ id, channel, test_address: address }) => {
    const keys = own.get(channel) ?? new Set(addresses.map((text) => keyOf(channel, text)));
    own.set(channel, keys);
    return keys.has(keyOf(channel, address)) ? [id] : [];
  });
}

/** What makes two writings one address: the letter case of an e-mail does not matter, and of a subscription only the endpoint does. */
function keyOf(channel: Channel, address: string): string {
  const { address: where } = CHANNEL_DESCRIPTORS[channel];
  switch (where.kind) {
    case 'mailbox':
      return address.trim().toLowerCase();
    case 'device':
      return where.deviceKind === 'web_push'
        ? (parseWebPushSubscription(address)?.endpoint ?? address)
        : address.trim();
    case 'phone':
    case 'identity':
      return address.trim();
  }
}

/** What a provider said when it found settings wrong may name whom the message was for: of the pause, and in the logs of the campaigns that it held up. */
async function forgetPauseWords(
  sql: Sql,
  applicationId: string,
  addresses: readonly string[],
): Promise<void> {
  const names = (words: string): string =>
    `exists (select from unnest($2::text[]) as a (address) where strpos(lower(${words}), lower(a.address)) > 0)`;
  await sql.query(
    `with pause as (update channel_pauses p set provider_message = null where p.application_id = $1 and ${names('p.provider_message')})
     update campaign_events e set detail = null
     where e.delivery_id is null and e.detail is not null and e.type = 'channel.paused' and ${names('e.detail')}
       and exists (select from campaigns c where c.id = e.campaign_id and c.application_id = $1)`,
    [applicationId, addresses],
  );
}
