import type { Channel, DeliveryState, InboxChannel } from '@tidings/contracts';
import type { DeviceRef } from '@tidings/people/devices/devices';
import { provedUserOf } from '@tidings/people/devices/proofs';
import type { Database, Sql } from '@tidings/postgres/database';
import { prepared } from '@tidings/postgres/prepared';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';

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

/** No lease of a message is as long: one that ends later was written while Postgres' clock was ahead. */
const LEASE_MAX = `interval '10 min'`;
/** SQL: nobody has fetched the row `i`, or who did has not said that it came. */
const IS_FREE = `(i.lease_until is null or i.lease_until <= now() or (i.lease_until > now() + ${LEASE_MAX} and i.lease_until <> 'infinity'))`;
/** SQL: it may be taken back. Who has just fetched it may be showing it; who said that he has it and then shows nothing, will not. */
const IS_TAKEN_BACK = `(${IS_FREE} or i.lease_until = 'infinity')`;

/**
 * SQL: the rows that a condition names, locked in the one order of all who wait for locks here. In the order in which rows
 * happen to lie, two who want the same ones could wait for each other.
 */
const locked = (condition: string): string =>
  `locked as materialized (select i.delivery_id from inbox i where ${condition} order by i.delivery_id for update)`;

// Here nobody waits for a lock. The numbers are drawn in the order in which the messages were offered.
const LEASE = prepared(
  `with asked as materialized (
     select a.no, a.device_id, a.channel, a.stream, a.messages_max, coalesce(${provedUserOf('v')}, v.user_id) as user_id
     from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $6::int[]) with ordinality as a(application_id, device_id, channel, stream, messages_max, no)
     join devices v on v.application_id = a.application_id and v.device_id = a.device_id),
   found as (
     select a.no, a.device_id, a.stream, free.delivery_id, free.offered_no from asked a cross join lateral (
       select i.delivery_id, i.offered_no from inbox i
       where i.user_id = a.user_id and (a.channel is null or i.channel = a.channel) and i.expires_at > now() and ${IS_FREE}
         and (select c.status in ('sending', 'completed') from campaigns c where c.id = i.campaign_id)
       order by i.offered_no limit a.messages_max for update of i skip locked) free),
   numbered as materialized (select f.*, nextval('inbox_lease_no') as lease_no from (select * from found order by no, offered_no) f),
   leased as (
     update inbox i set leased_by = f.device_id, lease_stream = f.stream, lease_no = f.lease_no, lease_until = now() + $5::float8 * interval '1 ms'
     from numbered f where i.delivery_id = f.delivery_id and ${IS_FREE}
     returning f.no, i.delivery_id, i.campaign_id, i.channel, i.expires_at, i.lease_no::float8 as lease_no)
   select a.no::int, a.user_id, l.delivery_id, l.campaign_id, l.channel, l.expires_at, l.lease_no
   from asked a left join leased l on l.no = a.no order by a.no, l.lease_no`,
);

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
    db.sql.query(
      `with ${locked(`i.user_id = $1 and i.leased_by = $2 and i.lease_stream = $3 and i.lease_no > $4::float8 and i.lease_until <> 'infinity'`)}
       update inbox i set lease_until = null from locked where i.delivery_id = locked.delivery_id`,
      [userId, deviceId, stream, afterNo],
    ),
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
    db.sql.query<{ delivery_id: string }>(
      `with ${locked(`i.delivery_id = any($3::uuid[]) and i.user_id = $1 and i.leased_by = $2 and i.lease_until is distinct from 'infinity'`)}
       update inbox i set lease_until = 'infinity' from locked where i.delivery_id = locked.delivery_id returning i.delivery_id`,
      [userId, deviceId, deliveryIds],
    ),
  );
  return new Set(rows.map((row) => row.delivery_id));
}

/** Takes what was shown out of the inbox, in the transaction that holds the deliveries' locks. @callers delivery */
export async function removeFromInbox(sql: Sql, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length > 0)
    await deleteLocked(sql, 'i.delivery_id = any($1::uuid[])', deliveryIds);
}

/**
 * Of deliveries whose locks the transaction holds, takes out of the inbox those that nobody is just fetching: only these may
 * be settled without having been shown. @callers delivery
 */
export async function takeBackFromInbox(
  sql: Sql,
  deliveryIds: readonly string[],
): Promise<Set<string>> {
  return new Set(
    deliveryIds.length === 0
      ? []
      : await deleteLocked(
          sql,
          `i.delivery_id = any($1::uuid[]) and ${IS_TAKEN_BACK}`,
          deliveryIds,
        ),
  );
}

/** Locks deliveries in the inbox whose time is over; those that somebody is at are left for the next time. */
export async function lockExpiredInInbox(sql: Sql, limit: number): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `with over as materialized (select i.delivery_id from inbox i where i.expires_at <= now() and ${IS_TAKEN_BACK} order by i.expires_at limit $1)
     select d.id from over join deliveries d on d.id = over.delivery_id where d.state = 'waiting' order by d.id for update of d skip locked`,
    [limit],
  );
  return rows.map((row) => row.id);
}

/** Forgets what waits for these users; returns the deliveries, whose locks the transaction holds. @callers delivery */
export async function forgetInboxOf(sql: Sql, userIds: readonly string[]): Promise<string[]> {
  return deleteLocked(sql, 'i.user_id = any($1::uuid[])', userIds);
}

async function deleteLocked(
  sql: Sql,
  condition: string,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await sql.query<{ delivery_id: string }>(
    `with ${locked(condition)} delete from inbox i using locked where i.delivery_id = locked.delivery_id returning i.delivery_id`,
    [ids],
  );
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
    `select d.id, d.channel, d.state from deliveries d
     where d.id = any($1::uuid[]) and d.application_id = $2 and (d.user_id = $3 or (d.user_id is null and d.test_address = $4))`,
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
    'select id, message::text as message from campaigns where id = any($1::uuid[])',
    [campaignIds],
  );
  return new Map(rows.map((row) => [row.id, row.message]));
}
