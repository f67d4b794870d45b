import type { Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import type { SuppressionReason } from '@tidings/contracts/channels/suppression-reasons';
import {
  SUPPRESSIBLE_CHANNELS,
  type SuppressibleChannel,
  type SuppressionRecord,
} from '@tidings/contracts/channels/suppressions';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import { mailboxKey, storedMailboxKey } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** An address that a channel must not send to, and the reason. */
export type Suppression = {
  readonly applicationId: string;
  readonly channel: Channel;
  /** SMS: in E.164. E-mail: in any spelling of the mailbox. */
  readonly address: string;
  readonly reason: DeliveryReason;
};

/** Suppresses an address. Idempotent. @callers channel-worker, client-api, delivery */
export async function suppressAddress(
  sql: Sql,
  { applicationId, channel, address, reason }: Suppression,
): Promise<void> {
  await sql.query(
    statement('suppress-address'),
    toParameters({ applicationId, channel, address, reason }),
  );
}

/** Removes one reason. Other reasons for the address stay. @callers client-api */
export async function unsuppressAddress(
  sql: Sql,
  { applicationId, channel, address, reason }: Suppression,
): Promise<void> {
  const parameters = toParameters({ applicationId, channel, address, reason });
  await sql.query(statement('delete-suppression'), parameters);
  // Where spellings differ, the job that gives older rows their key may have held the row, and have
  // written another one meanwhile, which only a later statement sees.
  if (parameters.at(-1) !== null) await sql.query(statement('delete-suppression'), parameters);
}

/** The recipient of a mail, for the preference page. */
export type Subscriber = {
  readonly applicationId: string;
  readonly applicationName: string;
  /** The channel of the message. */
  readonly channel: Channel;
  /**
   * The address that the mail was sent to. While the profile still has that address, also those of
   * other channels. Empty when the address is unknown.
   */
  readonly addresses: Readonly<Partial<Record<SuppressibleChannel, string>>>;
  /** The profile's e-mail address now, which may differ; null when there is none. */
  readonly currentEmail: string | null;
  /** The channels whose address gets no marketing messages. */
  readonly unsubscribed: ReadonlySet<SuppressibleChannel>;
  /** Whether the recipient unsubscribed through this mail. */
  readonly hasUnsubscribed: boolean;
  /** Traceparent of the message's campaign, if it is traced. */
  readonly traceparent?: string;
};

/**
 * Finds the recipient of a delivery. Links of older versions do not name the address (`mailedTo` is
 * null). Then the profile's address counts, if the profile has not changed since the mail was made.
 * One minute of tolerance covers a transaction that began before it and committed after it.
 */
const SUBSCRIBER = statement('read-subscriber');

/**
 * Finds the recipient of a mail; null when there is no such delivery.
 * @param mailedTo the address that the mail was sent to, if the link names it
 */
export async function findSubscriber(
  sql: Sql,
  deliveryId: string,
  mailedTo: string | null = null,
): Promise<Subscriber | null> {
  const [row] = (
    await sql.query<SubscriberRow>(SUBSCRIBER, [
      deliveryId,
      mailedTo,
      mailedTo === null ? null : mailboxKey(mailedTo),
    ])
  ).rows;
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

/**
 * Suppresses an address for an administrator. An existing suppression of the mailbox stays as it is.
 * @callers api
 */
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
  const { spelling, key } = toKey(channel, address);
  const row = await (
    await db.prisma()
  ).suppression.findUniqueOrThrow({
    where: {
      applicationId_channel_address_reason: {
        applicationId,
        channel,
        address: key ?? spelling,
        reason,
      },
    },
  });
  return toSuppressionRecord({ ...row, created_at: row.createdAt });
}

/** A page of an application's suppressions, newest first. The cursor is the id of the last one. */
export async function listSuppressions(
  db: Database,
  applicationId: string,
  page: {
    readonly cursor?: string;
    readonly limit: number;
    readonly channel?: SuppressibleChannel;
    /** In any spelling. */
    readonly address?: string;
  },
): Promise<SuppressionRecord[]> {
  const { cursor, limit, channel, address } = page;
  const addresses =
    address === undefined
      ? null
      : SUPPRESSIBLE_CHANNELS.flatMap((each) => Object.values(toKey(each, address)));
  const { rows } = await db.sql.query<ListedRow>(statement('list-suppressions'), [
    applicationId,
    channel ?? null,
    addresses,
    cursor ?? null,
    limit,
  ]);
  return rows.map(toSuppressionRecord);
}

type ListedRow = {
  readonly id: string;
  readonly channel: string;
  readonly address: string;
  readonly reason: string;
  readonly created_at: Date;
};

/**
 * Deletes a suppression: for this reason the mailbox is no longer suppressed. False when the
 * application has none with this id.
 * @callers api
 */
export function deleteSuppression(
  db: Database,
  applicationId: string,
  id: string,
): Promise<boolean> {
  return db.transaction(async (sql) => {
    const { rows } = await sql.query<Omit<Suppression, 'applicationId'>>(
      statement('find-suppression'),
      [applicationId, id],
    );
    const [found] = rows;
    if (found === undefined) return false;
    await unsuppressAddress(sql, { applicationId, ...found });
    return true;
  });
}

/**
 * The channels whose address of this user is suppressed, each with the reason. Unsubscriptions are
 * left out.
 */
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

const toSuppressionRecord = (row: ListedRow): SuppressionRecord => ({
  id: row.id,
  channel: row.channel as SuppressibleChannel,
  address: row.address,
  reason: row.reason as SuppressionReason,
  createdAt: row.created_at.getTime(),
});

/** The parameters of a statement that writes or deletes one suppression. */
function toParameters({ applicationId, channel, address, reason }: Suppression): unknown[] {
  const { spelling, key } = toKey(channel, address);
  return [applicationId, channel, spelling, reason, key];
}

/**
 * An address in lower case, as earlier versions look for it, and the key of its mailbox where the
 * lower case may be another text.
 */
function toKey(
  channel: Channel,
  address: string,
): { readonly spelling: string; readonly key: string | null } {
  if (CHANNEL_DESCRIPTORS[channel].address.kind !== 'mailbox')
    return { spelling: address, key: null };
  const spelling = address.trim().toLowerCase();
  return { spelling, key: storedMailboxKey(spelling) };
}
