import type { Channel, InboxChannel } from '@tidings/contracts/channels/channels';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import type { DeviceRef } from '@tidings/people/devices/devices';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared, definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

const LOCK_EXPIRED_IN_INBOX = definePreparedByKeys(statement('lock-expired-in-inbox'));

/** A device's request for messages. */
export type InboxQuestion = DeviceRef & {
  /** Null for all inbox channels. */
  readonly channel: InboxChannel | null;
  /**
   * Identifies this connection: its leases are separate from those of another window of the device.
   */
  readonly stream: string;
  /** Maximum messages per response. */
  readonly messagesMax: number;
};

/** A message leased to the device. */
export type LeasedMessage = {
  readonly deliveryId: string;
  readonly campaignId: string;
  readonly channel: InboxChannel;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** JSON of the message that was rendered for the user; null: the campaign's. */
  readonly message: string | null;
  /** Grows with each message of a stream. */
  readonly leaseNo: number;
};

export type InboxAnswer = {
  /** The user of the device; null if the device no longer exists. */
  readonly userId: string | null;
  readonly messages: readonly LeasedMessage[];
};

export type InboxLease = { readonly leaseMs: number };

// Does not wait for locks. Lease numbers follow the order in which messages were delivered to the
// inbox.
const LEASE = definePrepared(statement('lease-messages'));

type LeaseRow = { readonly no: number; readonly user_id: string } & (
  | { readonly delivery_id: null }
  | {
      readonly delivery_id: string;
      readonly campaign_id: string;
      readonly channel: InboxChannel;
      readonly expires_at: Date;
      readonly message: string | null;
      readonly lease_no: number;
    }
);

/**
 * Leases waiting messages to devices, in one statement for all devices, oldest first. A message
 * goes to the first device that asks, and is free again if its lease ends without a confirmation.
 * Paused and canceled campaigns deliver nothing. Responses are in the order of the requests,
 * messages in the order of their lease numbers. @callers client-api
 */
export async function leaseMessages(
  db: Pick<Database, 'sql'>,
  questions: readonly InboxQuestion[],
  { leaseMs }: InboxLease,
): Promise<InboxAnswer[]> {
  const { rows } = await db.sql.query<LeaseRow>(LEASE, [
    questions.map(({ applicationId }) => applicationId),
    questions.map(({ deviceId }) => deviceId),
    questions.map(({ channel }) => channel),
    questions.map(({ stream }) => stream),
    leaseMs,
    questions.map(({ messagesMax }) => messagesMax),
  ]);
  const answers = questions.map((): { userId: string | null; messages: LeasedMessage[] } => ({
    userId: null,
    messages: [],
  }));
  for (const row of rows) {
    const answer = answers[row.no - 1];
    if (answer === undefined) continue;
    answer.userId = row.user_id;
    if (row.delivery_id === null) continue;
    answer.messages.push({
      deliveryId: row.delivery_id,
      campaignId: row.campaign_id,
      channel: row.channel,
      expiresAt: row.expires_at.getTime(),
      message: row.message,
      leaseNo: row.lease_no,
    });
  }
  return answers;
}

/**
 * Releases leases of the device in this stream after that number, which did not arrive.
 * @callers client-api
 */
export async function releaseLeases(
  db: Pick<Database, 'sql'>,
  {
    deviceId,
    stream,
    afterNo,
  }: { readonly deviceId: string; readonly stream: string; readonly afterNo: number },
  userId: string,
): Promise<void> {
  await retryConflicts(() =>
    db.sql.query(statement('release-leases'), [userId, deviceId, stream, afterNo]),
  );
}

/**
 * Confirms that the device has the messages; no other device gets them. Returns the newly confirmed
 * messages of this user. @callers client-api
 */
export async function confirmLeases(
  db: Pick<Database, 'sql'>,
  { userId, deviceId }: { readonly userId: string; readonly deviceId: string },
  deliveryIds: readonly string[],
): Promise<Set<string>> {
  if (deliveryIds.length === 0) return new Set();
  const { rows } = await retryConflicts(() =>
    db.sql.query<{ delivery_id: string }>(statement('confirm-leases'), [
      userId,
      deviceId,
      deliveryIds,
    ]),
  );
  return new Set(rows.map((row) => row.delivery_id));
}

/**
 * Removes shown messages from the inbox, in the transaction that holds the deliveries' locks.
 * @callers delivery
 */
export async function removeFromInbox(sql: Sql, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length > 0) await sql.query(statement('remove-from-inbox'), [deliveryIds]);
}

/**
 * Removes messages from the inbox that no device is fetching; only these may be settled without
 * being shown. The transaction holds the deliveries' locks. @callers delivery
 */
export async function takeBackFromInbox(
  sql: Sql,
  deliveryIds: readonly string[],
): Promise<Set<string>> {
  if (deliveryIds.length === 0) return new Set();
  const { rows } = await sql.query<{ delivery_id: string }>(statement('take-back-from-inbox'), [
    deliveryIds,
  ]);
  return new Set(rows.map((row) => row.delivery_id));
}

/** Locks expired deliveries in the inbox; rows locked by others are left for the next sweep. */
export async function lockExpiredInInbox(sql: Sql, limit: number): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(LOCK_EXPIRED_IN_INBOX, [limit]);
  return rows.map((row) => row.id);
}

/** Deletes the inbox of these users. Returns the deliveries, which it locks. @callers delivery */
export async function deleteInboxMessages(sql: Sql, userIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql.query<{ delivery_id: string }>(statement('delete-inbox-messages'), [
    userIds,
  ]);
  return rows.map((row) => row.delivery_id);
}

/** A delivery as seen by a device that confirms it. */
export type OwnDelivery = { readonly channel: Channel; readonly state: DeliveryState };

/** The deliveries among these that belong to the user; a test send belongs to the user it names. */
export async function findOwnDeliveries(
  db: Pick<Database, 'sql'>,
  {
    applicationId,
    userId,
    customUserId,
  }: {
    readonly applicationId: string;
    readonly userId: string;
    readonly customUserId: string | null;
  },
  deliveryIds: readonly string[],
): Promise<Map<string, OwnDelivery>> {
  const { rows } = await db.sql.query<OwnDelivery & { id: string }>(
    statement('find-own-deliveries'),
    [deliveryIds, applicationId, userId, customUserId],
  );
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

/** The campaigns' messages as JSON, with every number exactly as sent. */
export async function readMessageTexts(
  db: Pick<Database, 'sql'>,
  campaignIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.sql.query<{ id: string; message: string }>(
    statement('read-message-texts'),
    [campaignIds],
  );
  return new Map(rows.map((row) => [row.id, row.message]));
}
