import {
  CHANNEL_DESCRIPTORS,
  type Channel,
  type DeliveryReason,
  type SuppressibleChannel,
  type SuppressionReason,
  type SuppressionRecord,
} from '@tidings/contracts';
import type { Suppression as SuppressionRow } from '@tidings/database/client';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** An address of a channel that nothing is sent to, and why. */
export type Suppression = {
  readonly applicationId: string;
  readonly channel: Channel;
  /** For SMS in E.164; of an e-mail the letter case does not matter. */
  readonly address: string;
  readonly reason: DeliveryReason;
};

/** Notes that nothing is to be sent to an address; again changes nothing. @callers channel-worker, client-api, delivery */
export async function suppressAddress(
  sql: Sql,
  { applicationId, channel, address, reason }: Suppression,
): Promise<void> {
  await sql.query(statement('suppress-address'), [
    applicationId,
    channel,
    keyOf(channel, address),
    reason,
  ]);
}

/** Takes one reason away; others stay. @callers client-api */
export async function unsuppressAddress(
  sql: Sql,
  { applicationId, channel, address, reason }: Suppression,
): Promise<void> {
  await sql.query(statement('delete-suppression'), [
    applicationId,
    channel,
    keyOf(channel, address),
    reason,
  ]);
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
  readonly currentEmail: string | null;
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
const SUBSCRIBER = statement('read-subscriber');

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
    currentEmail: row.present_email,
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
    statement('read-suppressed-channels'),
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
