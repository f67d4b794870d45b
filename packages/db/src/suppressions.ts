import { MARKETING_SUPPRESSION, type Channel, type DeliveryReason, type SuppressibleChannel, type SuppressionReason, type SuppressionRecord } from '@tidings/contracts';
import type { Database, Sql } from './database.ts';
import type { Suppression as SuppressionRow } from './generated/client.ts';

/** An address of a channel that nothing is sent to, and why. */
export type Suppression = {
  readonly applicationId: string;
  readonly channel: Channel;
  /** For SMS in E.164; of an e-mail the letter case does not matter. */
  readonly address: string;
  readonly reason: DeliveryReason;
};

/**
 * SQL of the reason not to send to the user `u` on a channel, or to a test address instead; null where there is none.
 * Who has unsubscribed is left out of marketing alone: `purpose` is the SQL of the message's, by default none of that.
 */
export function suppressionOf(sql: { readonly channel: string; readonly applicationId: string; readonly testAddress?: string; readonly purpose?: string }): string {
  const address = `case ${sql.channel} when 'SMS' then coalesce(${sql.testAddress ?? 'null'}, u.phone_e164)
                                       when 'EMAIL' then coalesce(lower(${sql.testAddress ?? 'null'}), u.email_key) end`;
  return `(select x.reason from suppressions x where x.application_id = ${sql.applicationId} and x.channel = ${sql.channel}
             and x.address = ${address} and (x.reason <> '${MARKETING_SUPPRESSION}' or ${sql.purpose ?? `'transactional'`} = 'marketing')
           order by x.created_at, x.id limit 1)`;
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

/** Somebody who got a message, as the preference page knows him: by his addresses, whichever of them this message went to. */
export type Subscriber = {
  readonly applicationId: string;
  readonly applicationName: string;
  /** The channel of the message. */
  readonly channel: Channel;
  /** What he can be reached by now; empty when he was deleted. */
  readonly addresses: Readonly<Partial<Record<SuppressibleChannel, string>>>;
  /** Where he gets no marketing. */
  readonly unsubscribed: ReadonlySet<SuppressibleChannel>;
  /** Of the message's campaign, where that is traced. */
  readonly traceparent?: string;
};

/** Who got a delivery; null when there is none. */
export async function findSubscriber(sql: Sql, deliveryId: string): Promise<Subscriber | null> {
  const { rows } = await sql.query<SubscriberRow>(
    `with recipient as (
       select d.application_id, a.name, d.channel, c.traceparent,
              case when d.test_address is null then u.email_key when d.channel = 'EMAIL' then lower(d.test_address) end as email,
              case when d.test_address is null then u.phone_e164 when d.channel = 'SMS' then d.test_address end as sms
       from deliveries d join applications a on a.id = d.application_id join campaigns c on c.id = d.campaign_id left join users u on u.id = d.user_id where d.id = $1)
     select r.*, array(
       select x.channel from suppressions x
       where x.application_id = r.application_id and x.reason = '${MARKETING_SUPPRESSION}'
         and (x.channel, x.address) in (('EMAIL', r.email), ('SMS', r.sms))) as unsubscribed
     from recipient r`,
    [deliveryId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const addresses = { ...(row.sms !== null && { SMS: row.sms }), ...(row.email !== null && { EMAIL: row.email }) };
  return { applicationId: row.application_id, applicationName: row.name, channel: row.channel, addresses, unsubscribed: new Set(row.unsubscribed), ...(row.traceparent !== null && { traceparent: row.traceparent }) };
}

type SubscriberRow = {
  readonly application_id: string;
  readonly name: string;
  readonly channel: Channel;
  readonly email: string | null;
  readonly sms: string | null;
  readonly unsubscribed: readonly SuppressibleChannel[];
  readonly traceparent: string | null;
};

/** Suppresses an address for an administrator; one that is there already stays as it is. @callers dashboard */
export async function addSuppression(
  db: Database,
  { applicationId, channel, address, reason }: Suppression & { readonly channel: SuppressibleChannel; readonly reason: SuppressionReason },
): Promise<SuppressionRecord> {
  await suppressAddress(db.sql, { applicationId, channel, address, reason });
  const key = { applicationId, channel, address: keyOf(channel, address), reason };
  return toSuppressionRecord(await (await db.prisma()).suppression.findUniqueOrThrow({ where: { applicationId_channel_address_reason: key } }));
}

/** A page of the suppressions of an application, newest first; the cursor is the last one's id. */
export async function listSuppressions(
  db: Database,
  applicationId: string,
  page: { readonly cursor?: string; readonly limit: number; readonly channel?: SuppressibleChannel; readonly address?: string },
): Promise<SuppressionRecord[]> {
  const { cursor, limit, channel, address } = page;
  const rows = await (await db.prisma()).suppression.findMany({
    where: { applicationId, ...(channel && { channel }), ...(address !== undefined && { address }), ...(cursor && { id: { lt: cursor } }) },
    orderBy: { id: 'desc' },
    take: limit,
  });
  return rows.map(toSuppressionRecord);
}

/** Whether there was one with this id. @callers dashboard */
export async function deleteSuppression(db: Database, applicationId: string, id: string): Promise<boolean> {
  return (await (await db.prisma()).suppression.deleteMany({ where: { id, applicationId } })).count > 0;
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

const toSuppressionRecord = (row: SuppressionRow): SuppressionRecord => ({
  id: row.id,
  channel: row.channel as SuppressibleChannel,
  address: row.address,
  reason: row.reason as SuppressionReason,
  createdAt: row.createdAt.getTime(),
});

/** As profiles are searched by it. */
function keyOf(channel: Channel, address: string): string {
  return channel === 'EMAIL' ? address.toLowerCase() : address;
}
