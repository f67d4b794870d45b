import { TIME_ZONE_ATTRIBUTE, type ChunkPointer, type DeliveryReason, type Lane, type Purpose } from '@tidings/contracts';
import { parseExactJson } from '@tidings/platform';
import { CONTACTS_OF } from '../contacts.ts';
import type { Database, Sql } from '../database.ts';
import { prepared } from '../prepared.ts';
import { suppressionOf } from '../suppressions.ts';
import { CHANNEL_PAUSED } from './channel-paused.ts';

/** A delivery in the hands of one worker, until its lease ends; the fence tells this claim from any other. */
export type ClaimedDelivery = {
  readonly deliveryId: string;
  readonly fence: number;
  readonly customUserId: string;
  readonly serviceUserId: string | null;
  /** Attempts made before this claim. */
  readonly attempts: number;
  /** How often it was due again because its outcome was unknown. */
  readonly doubts: number;
  /** Milliseconds since the delivery was made, or made due again. */
  readonly ageMs: number;
  readonly testAddress: string | null;
  /** The profile fields of the recipient, from which a channel takes its address. */
  readonly profile: Readonly<Record<string, unknown>>;
  /** What the recipient's profile says of the time zone, whatever that is. */
  readonly timeZone: string | null;
  /** Why nothing is sent to the recipient's address on this channel, whatever it says; null when nothing speaks against it. */
  readonly suppression: DeliveryReason | null;
  /** Version of the channel's settings at the claim; null when it is not configured (any more). */
  readonly settingsVersion: number | null;
};

const CLAIM = prepared(
  `with due as (
     select row.* from unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no) cross join lateral (
       select d.id, d.user_id, d.application_id, d.channel, c.purpose, c.retried_at from deliveries d join campaigns c on c.id = d.campaign_id
       where d.campaign_id = x.campaign_id and d.chunk_no = x.chunk_no and c.status = 'sending' and not ${CHANNEL_PAUSED}
         and (d.user_id is not null or d.test_address is not null)
         and ((d.state in ('pending', 'retry_wait') and d.next_at <= now()) or (d.state = 'claimed' and d.lease_until < now()))
       order by d.id limit $5 for update of d skip locked) row)
   update deliveries d set state = 'claimed', fence = d.fence + 1, owner = $3, lease_until = now() + $4::float8 * interval '1 ms', updated_at = now()
   from due
   left join users u on u.id = due.user_id
   left join channel_settings s on s.application_id = due.application_id and s.channel = due.channel
   where d.id = due.id
   returning d.id, d.campaign_id, d.chunk_no, d.fence, d.custom_user_id, d.attempts, d.doubts, d.test_address, left(u.custom_attributes ->> '${TIME_ZONE_ATTRIBUTE}', 64) as time_zone, ${CONTACTS_OF} as profile, s.version as settings_version,
     ${suppressionOf({ channel: 'd.channel', testAddress: 'd.test_address', applicationId: 'd.application_id', purpose: 'due.purpose' })} as suppression,
     (extract(epoch from now() - greatest(d.created_at, due.retried_at)) * 1000)::float8 as age_ms,
     (select i.service_user_id from user_identities i where i.user_id = due.user_id order by i.created_at limit 1) as service_user_id`,
);

export type Claim = {
  readonly owner: string;
  readonly leaseMs: number;
  /** Of each chunk. */
  readonly rowsMax: number;
};

/**
 * Claims the due rows of chunks: pending, due for a retry, or claimed under a lease that ended. Nothing was sent of
 * any of them, so taking over is safe; a row in `sending` is never claimed again. Returns those of each chunk, in the
 * order given; of a chunk that is named twice, to the first. @callers channel-worker
 */
export async function claimChunks(db: Database, chunks: readonly ChunkPointer[], { owner, leaseMs, rowsMax }: Claim): Promise<ClaimedDelivery[][]> {
  const claimed = new Map<string, ClaimedDelivery[]>(chunks.map((chunk) => [nameOf(chunk), []]));
  const distinct = [...new Map(chunks.map((chunk) => [nameOf(chunk), chunk])).values()];
  const { rows } = await db.sql.query<ClaimRow>(CLAIM, [distinct.map(({ campaignId }) => campaignId), distinct.map(({ chunkNo }) => chunkNo), owner, leaseMs, rowsMax]);
  for (const row of rows) claimed.get(nameOf({ campaignId: row.campaign_id, chunkNo: row.chunk_no }))?.push(toClaimed(row));
  return chunks.map((chunk) => {
    const own = claimed.get(nameOf(chunk)) ?? [];
    claimed.delete(nameOf(chunk));
    return own;
  });
}

/** The same of one chunk. @callers channel-worker */
export async function claimChunk(db: Database, { campaignId, chunkNo, ...claim }: ChunkPointer & Claim): Promise<ClaimedDelivery[]> {
  const [claimed = []] = await claimChunks(db, [{ campaignId, chunkNo }], claim);
  return claimed;
}

const nameOf = ({ campaignId, chunkNo }: ChunkPointer): string => `${campaignId} ${chunkNo}`;

function toClaimed(row: ClaimRow): ClaimedDelivery {
  return {
    deliveryId: row.id,
    fence: row.fence,
    customUserId: row.custom_user_id,
    serviceUserId: row.service_user_id,
    attempts: row.attempts,
    doubts: row.doubts,
    ageMs: row.age_ms,
    testAddress: row.test_address,
    profile: row.profile ?? {},
    timeZone: row.time_zone,
    suppression: row.suppression,
    settingsVersion: row.settings_version,
  };
}

type ClaimRow = {
  readonly id: string;
  readonly campaign_id: string;
  readonly chunk_no: number;
  readonly fence: number;
  readonly custom_user_id: string;
  readonly service_user_id: string | null;
  readonly attempts: number;
  readonly doubts: number;
  readonly time_zone: string | null;
  readonly age_ms: number;
  readonly test_address: string | null;
  readonly profile: Record<string, unknown> | null;
  readonly suppression: DeliveryReason | null;
  readonly settings_version: number | null;
};

export type Fenced = { readonly deliveryId: string; readonly fence: number };

const ARM = prepared(
  `with armed as (
     update deliveries d set state = 'sending', attempts = d.attempts + 1, lease_until = clock_timestamp() + $3::float8 * interval '1 ms', updated_at = now()
     from unnest($1::uuid[], $2::int[]) as x(id, fence)
     where d.id = x.id and d.fence = x.fence and d.state = 'claimed' and d.lease_until > now()
       and (select c.status = 'sending' and now() < c.expires_at from campaigns c where c.id = d.campaign_id)
     returning d.id, d.fence, d.campaign_id, d.chunk_no, d.lease_until),
   leased as (
     update campaign_chunks k set leased_until = a.lease_until
     from (select campaign_id, chunk_no, min(lease_until) as lease_until from armed group by 1, 2 order by 1, 2) a
     where k.campaign_id = a.campaign_id and k.chunk_no = a.chunk_no
       and (k.leased_until is null or k.leased_until > a.lease_until or k.leased_until <= now()))
   select id, fence from armed`,
);

/**
 * Arms claimed rows immediately before they are sent; only the ids returned may be sent. One compare-and-set is the
 * fence against a worker whose lease was taken over, the check of pause and cancel, and the check of expiry. Their chunk
 * is noted as one with leases (`expireSendingLeases`).
 * @callers channel-worker
 */
export async function armDeliveries(db: Pick<Database, 'sql'>, deliveries: readonly Fenced[], leaseMs: number): Promise<Set<string>> {
  const [armed = new Set<string>()] = await armGroups(db, [deliveries], leaseMs);
  return armed;
}

/** The same of several groups together; a claim that is in two of them is armed for the first. @callers channel-worker */
export async function armGroups(db: Pick<Database, 'sql'>, groups: readonly (readonly Fenced[])[], leaseMs: number): Promise<Set<string>[]> {
  // In one order, for they may wait for locks.
  const all = groups.flat().toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1));
  const { rows } = await db.sql.query<{ id: string; fence: number }>(ARM, [all.map(({ deliveryId }) => deliveryId), all.map(({ fence }) => fence), leaseMs]);
  const fences = new Map(rows.map(({ id, fence }) => [id, fence]));
  return groups.map((group) => new Set(group.filter(({ deliveryId, fence }) => fences.get(deliveryId) === fence && fences.delete(deliveryId)).map(({ deliveryId }) => deliveryId)));
}

/** Gives claimed rows back, unsent, due after `delayMs`: the same for all, or each its own. @callers channel-worker */
export async function releaseClaims(db: Database, deliveries: readonly Fenced[], delayMs: number | readonly number[]): Promise<void> {
  if (deliveries.length === 0) return;
  await db.sql.query(
    `update deliveries d set state = 'pending', owner = null, lease_until = null, updated_at = now(),
            next_at = now() + x.delay_ms * interval '1 ms'
     from unnest($1::uuid[], $2::int[], $3::float8[]) as x(id, fence, delay_ms)
     where d.id = x.id and d.fence = x.fence and d.state = 'claimed'`,
    [
      deliveries.map((delivery) => delivery.deliveryId),
      deliveries.map((delivery) => delivery.fence),
      typeof delayMs === 'number' ? deliveries.map(() => delayMs) : delayMs,
    ],
  );
}

/** What a worker needs to know of a campaign to send its message, whose integers beyond 2^53 are bigints. */
export type CampaignToSend = {
  readonly campaignId: string;
  readonly applicationId: string;
  readonly purpose: Purpose;
  readonly lane: Lane;
  readonly message: Record<string, unknown>;
  readonly defaultSubject: string | null;
  /** Whether its mails tell when they are opened and their links followed. */
  readonly isTracked: boolean;
  /** Milliseconds since the epoch: nothing of it is to reach anybody later. */
  readonly expiresAt: number;
  /** A test send, which finds out whether the settings are right: nothing holds it up. */
  readonly isTest: boolean;
};

/** What there is of these, by id. */
export async function readCampaignsToSend(sql: Sql, campaignIds: readonly string[]): Promise<Map<string, CampaignToSend>> {
  const { rows } = await sql.query<{ id: string; application_id: string; lane: Lane; purpose: Purpose; message: string; default_subject: string | null; is_tracked: boolean; expires_at: Date; is_test: boolean }>(
    `select c.id, c.application_id, c.lane, c.purpose, c.message::text as message, c.expires_at, c.source = 'test' as is_test, a.settings ->> 'defaultSubject' as default_subject,
       coalesce((a.settings ->> 'tracking')::boolean, true) as is_tracked
     from campaigns c join applications a on a.id = c.application_id where c.id = any($1)`,
    [campaignIds],
  );
  return new Map(
    rows.map((row) => [
      row.id,
      {
        campaignId: row.id,
        applicationId: row.application_id,
        purpose: row.purpose,
        lane: row.lane,
        message: parseExactJson(row.message) as Record<string, unknown>,
        defaultSubject: row.default_subject,
        isTracked: row.is_tracked,
        expiresAt: row.expires_at.getTime(),
        isTest: row.is_test,
      },
    ]),
  );
}
