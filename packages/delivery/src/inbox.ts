import type { Channel, DeliveryState, InboxChannel } from '@tidings/contracts';
import type { DeviceRef } from '@tidings/people/devices/devices';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A device that asks for messages. */
export type InboxQuestion = DeviceRef & {
  /** Null for all that it may be offered. */
  readonly channel: InboxChannel | null;
  /** Names this conversation: what is leased in it is told from what another window of the device has. */
  readonly stream: string;
  /** No more than these at a time. */
  readonly messagesMax: number;
};

/** A message that the device has until its lease ends. */
export type LeasedMessage = {
  readonly deliveryId: string;
  readonly campaignId: string;
  readonly channel: InboxChannel;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Grows with each message of a stream. */
  readonly leaseNo: number;
};

export type InboxAnswer = {
  /** Whose messages the device gets; null when there is no such device any more. */
  readonly userId: string | null;
  readonly messages: readonly LeasedMessage[];
};

export type InboxLease = { readonly leaseMs: number };

// Here nobody waits for a lock. The numbers are drawn in the order in which the messages were offered.
const LEASE = definePrepared(statement('lease-messages'));

type LeaseRow = { readonly no: number; readonly user_id: string } & (
  | { readonly delivery_id: null }
  | {
      readonly delivery_id: string;
      readonly campaign_id: string;
      readonly channel: InboxChannel;
      readonly expires_at: Date;
      readonly lease_no: number;
    }
);

/**
 * What waits for each of these devices, theirs until the lease ends: one statement for all who wait. What was offered first
 * comes first. A message goes to one device, the first that asks, and is free again when the lease ends and nobody said
 * that it came. Of a campaign that is paused or canceled nothing is given out. Answers are in the order of the questions,
 * messages in that of their numbers: what a device got last says what it got before. @callers client-api
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
      leaseNo: row.lease_no,
    });
  }
  return answers;
}

/** Frees what was leased to the device in this stream after that number, and did not arrive. @callers client-api */
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

/** The device has them: they are offered to nobody else. Returns those of this user of which it was not known. @callers client-api */
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

/** Takes what was shown out of the inbox, in the transaction that holds the deliveries' locks. @callers delivery */
export async function removeFromInbox(sql: Sql, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length > 0) await sql.query(statement('remove-from-inbox'), [deliveryIds]);
}

/**
 * Of deliveries whose locks the transaction holds, takes out of the inbox those that nobody is just fetching: only these may
 * be settled without having been shown. @callers delivery
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

/** Locks deliveries in the inbox whose time is over; those that somebody is at are left for the next time. */
export async function lockExpiredInInbox(sql: Sql, limit: number): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(statement('lock-expired-in-inbox'), [limit]);
  return rows.map((row) => row.id);
}

/** Forgets what waits for these users; returns the deliveries, whose locks the transaction holds. @callers delivery */
export async function deleteInboxOf(sql: Sql, userIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql.query<{ delivery_id: string }>(statement('delete-inbox-of'), [
    userIds,
  ]);
  return rows.map((row) => row.delivery_id);
}

/** A delivery as whoever confirms it may know of it. */
export type OwnDelivery = { readonly channel: Channel; readonly state: DeliveryState };

/** Which of these deliveries are the user's own: a test send is of the user that it names. */
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

/** The messages of these campaigns as JSON, with every number as it was sent. */
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
