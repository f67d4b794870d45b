import type { Channel, DeliveryReason } from '@tidings/contracts';
import type { Database, Sql } from './database.ts';

/** An address of a channel that nothing is sent to, and why. */
export type Suppression = {
  readonly applicationId: string;
  readonly channel: Channel;
  /** For SMS in E.164; of an e-mail the letter case does not matter. */
  readonly address: string;
  readonly reason: DeliveryReason;
};

/** SQL of the reason not to send to the user `u` on a channel, or to a test address instead; null where there is none. */
export function suppressionOf(sql: { readonly channel: string; readonly applicationId: string; readonly testAddress?: string }): string {
  const address = `case ${sql.channel} when 'SMS' then coalesce(${sql.testAddress ?? 'null'}, u.phone_e164)
                                       when 'EMAIL' then coalesce(lower(${sql.testAddress ?? 'null'}), u.email_key) end`;
  return `(select x.reason from suppressions x where x.application_id = ${sql.applicationId} and x.channel = ${sql.channel}
             and x.address = ${address} order by x.created_at, x.id limit 1)`;
}

/** Notes that nothing is to be sent to an address; again changes nothing. @callers channel-worker, client-api */
export async function suppressAddress(sql: Sql, { applicationId, channel, address, reason }: Suppression): Promise<void> {
  await sql.query(
    `insert into suppressions (application_id, channel, address, reason) values ($1, $2, $3, $4)
     on conflict (application_id, channel, address, reason) do nothing`,
    [applicationId, channel, keyOf(channel, address), reason],
  );
}

/** Takes one reason away; others stay. @callers client-api */
export async function liftSuppression(sql: Sql, { applicationId, channel, address, reason }: Suppression): Promise<void> {
  await sql.query('delete from suppressions where application_id = $1 and channel = $2 and address = $3 and reason = $4', [
    applicationId,
    channel,
    keyOf(channel, address),
    reason,
  ]);
}

/** The channels on which nothing is sent to a user for the sake of the address, each with its reason. */
export async function readSuppressedChannels(db: Database, userId: string): Promise<ReadonlyMap<Channel, DeliveryReason>> {
  const { rows } = await db.sql.query<{ channel: Channel; reason: DeliveryReason | null }>(
    `select c.channel, ${suppressionOf({ channel: 'c.channel', applicationId: 'u.application_id' })} as reason
     from users u cross join (values ('SMS'), ('EMAIL')) as c (channel) where u.id = $1`,
    [userId],
  );
  return new Map(rows.flatMap(({ channel, reason }) => (reason === null ? [] : [[channel, reason] as const])));
}

/** As profiles are searched by it. */
function keyOf(channel: Channel, address: string): string {
  return channel === 'EMAIL' ? address.toLowerCase() : address;
}
