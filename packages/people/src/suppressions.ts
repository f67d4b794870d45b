import {
  CHANNEL_DESCRIPTORS,
  MARKETING_SUPPRESSION,
  type Channel,
  type DeliveryReason,
  type SuppressibleChannel,
  type SuppressionReason,
  type SuppressionRecord,
} from '@tidings/contracts';
import type { Suppression as SuppressionRow } from '@tidings/database/client';
import type { Database, Sql } from '@tidings/postgres/database';

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
export function suppressionOf(sql: {
  readonly channel: string;
  readonly applicationId: string;
  readonly testAddress?: string;
  readonly purpose?: string;
}): string {
  const address = `case ${sql.channel} when 'SMS' then coalesce(${sql.testAddress ?? 'null'}, u.phone_e164)
                                       when 'EMAIL' then coalesce(lower(${sql.testAddress ?? 'null'}), u.email_key) end`;
  return `(select x.reason from suppressions x where x.application_id = ${sql.applicationId} and x.channel = ${sql.channel}
             and x.address = ${address} and (x.reason <> '${MARKETING_SUPPRESSION}' or ${sql.purpose ?? `'transactional'`} = 'marketing')
           order by x.created_at, x.id limit 1)`;
}

/** Notes that nothing is to be sent to an address; again changes nothing. @callers channel-worker, client-api, delivery */
export async function suppressAddress(
  sql: Sql,
  { applicationId, channel, address, reason }: Suppression,
): Promise<void> {
  await sql.query(
    `insert into suppressions (application_id, channel, address, reason) values ($1, $2, $3, $4)
     on conflict (application_id, channel, address, reason) do nothing`,
    [applicationId, channel, keyOf(channel, address), reason],
  );
}

/** Takes one reason away; others stay. @callers client-api */
export async function liftSuppression(
  sql: Sql,
  { applicationId, channel, address, reason }: Suppression,
): Promise<void> {
  await sql.query(
    'delete from suppressions where application_id = $1 and channel = $2 and address = $3 and reason = $4',
    [applicationId, channel, keyOf(channel, address), reason],
  );
}

/** The recipient of a mail, as the preference page knows them. */
export type Subscriber = {
  readonly applicationId: string;
  readonly applicationName: string;
  /** The channel of the message. */
  readonly channel: Channel;
  /**
   * The address that the mail went to and, while the profile still has that address, those of other channels. Empty when
   * the address is unknown.
   */
  readonly addresses: Readonly<Partial<Record<SuppressibleChannel, string>>>;
  /** The e-mail address of the profile now, which may be another one; null when it has none. */
  readonly presentEmail: string | null;
  /** The channels whose address gets no marketing. */
  readonly unsubscribed: ReadonlySet<SuppressibleChannel>;
  /** Whether an unsubscription by this mail was recorded. */
  readonly hasUnsubscribed: boolean;
  /** Of the message's campaign, where that is traced. */
  readonly traceparent?: string;
};

/**
 * Who got a mail; null when there is no such delivery. A link of an older version does not name the address that the mail
 * went to (`mailedTo` null). The profile's address is that one if the profile has not changed since the mail was made; a
 * transaction that changed it may have begun a while before it committed.
 */
const SUBSCRIBER = `with mail as (
    select d.application_id, a.name, d.channel, c.traceparent, d.unsubscribed_at is not null as has_unsubscribed, d.test_address is not null as is_test,
           coalesce(lower(d.test_address), u.email_key) collate "C" as present_email, u.phone_e164,
           coalesce(lower($2), lower(d.test_address), case when u.updated_at < d.created_at - interval '1 minute' then u.email_key end) collate "C" as email
    from deliveries d join applications a on a.id = d.application_id join campaigns c on c.id = d.campaign_id left join users u on u.id = d.user_id
    where d.id = $1),
  recipient as (select m.*, case when not m.is_test and m.email = m.present_email then m.phone_e164 end as sms from mail m)
  select r.*, array(
    select x.channel from suppressions x
    where x.application_id = r.application_id and x.reason = '${MARKETING_SUPPRESSION}'
      and (x.channel, x.address) in (('EMAIL', r.email), ('SMS', r.sms))) as unsubscribed
  from recipient r`;

/** @param mailedTo the address that the mail went to, where its link names it */
export async function findSubscriber(
  sql: Sql,
  deliveryId: string,
  mailedTo: string | null = null,
): Promise<Subscriber | null> {
  const [row] = (await sql.query<SubscriberRow>(SUBSCRIBER, [deliveryId, mailedTo])).rows;
  if (row === undefined) return null;
  return {
    applicationId: row.application_id,
    applicationName: row.name,
    channel: row.channel,
    addresses: {
      ...(row.sms !== null && { SMS: row.sms }),
      ...(row.email !== null && { EMAIL: row.email }),
    },
    presentEmail: row.present_email,
    unsubscribed: new Set(row.unsubscribed),
    hasUnsubscribed: row.has_unsubscribed,
    ...(row.traceparent !== null && { traceparent: row.traceparent }),
  };
}

type SubscriberRow = {
  readonly application_id: string;
  readonly name: string;
  readonly channel: Channel;
  readonly email: string | null;
  readonly sms: string | null;
  readonly present_email: string | null;
  readonly unsubscribed: readonly SuppressibleChannel[];
  readonly has_unsubscribed: boolean;
  readonly traceparent: string | null;
};

/** Suppresses an address for an administrator; one that is there already stays as it is. @callers api */
export async function addSuppression(
  db: Database,
  {
    applicationId,
    channel,
    address,
    reason,
  }: Suppression & { readonly channel: SuppressibleChannel; readonly reason: SuppressionReason },
): Promise<SuppressionRecord> {
  await suppressAddress(db.sql, { applicationId, channel, address, reason });
  const key = { applicationId, channel, address: keyOf(channel, address), reason };
  return toSuppressionRecord(
    await (
      await db.prisma()
    ).suppression.findUniqueOrThrow({ where: { applicationId_channel_address_reason: key } }),
  );
}

/** A page of the suppressions of an application, newest first; the cursor is the last one's id. */
export async function listSuppressions(
  db: Database,
  applicationId: string,
  page: {
    readonly cursor?: string;
    readonly limit: number;
    readonly channel?: SuppressibleChannel;
    readonly address?: string;
  },
): Promise<SuppressionRecord[]> {
  const { cursor, limit, channel, address } = page;
  const rows = await (
    await db.prisma()
  ).suppression.findMany({
    where: {
      applicationId,
      ...(channel && { channel }),
      ...(address !== undefined && { address }),
      ...(cursor && { id: { lt: cursor } }),
    },
    orderBy: { id: 'desc' },
    take: limit,
  });
  return rows.map(toSuppressionRecord);
}

/** Whether there was one with this id. @callers api */
export async function deleteSuppression(
  db: Database,
  applicationId: string,
  id: string,
): Promise<boolean> {
  return (
    (await (await db.prisma()).suppression.deleteMany({ where: { id, applicationId } })).count > 0
  );
}

/** The channels on which nothing is sent to a user for the sake of the address, each with its reason. */
export async function readSuppressedChannels(
  db: Database,
  userId: string,
): Promise<ReadonlyMap<Channel, DeliveryReason>> {
  const { rows } = await db.sql.query<{ channel: Channel; reason: DeliveryReason | null }>(
    `select c.channel, ${suppressionOf({ channel: 'c.channel', applicationId: 'u.application_id' })} as reason
     from users u cross join (values ('SMS'), ('EMAIL')) as c (channel) where u.id = $1`,
    [userId],
  );
  return new Map(
    rows.flatMap(({ channel, reason }) => (reason === null ? [] : [[channel, reason] as const])),
  );
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
  return CHANNEL_DESCRIPTORS[channel].address.kind === 'mailbox' ? address.toLowerCase() : address;
}
