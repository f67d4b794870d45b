import {
  SENT_AGAIN_AFTER_MS,
  isSentAgain,
  type Channel,
  type DeliveryState,
} from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { isWrittenAhead, writtenNow } from '@tidings/postgres/written-ahead';
import { changeDeliveryStates } from './change-states.ts';
import { wakeChunks } from './chunks.ts';
import { lockExpiredInInbox, takeBackFromInbox } from './inbox.ts';
import { IS_CLAIM_OVER } from './is-due.ts';
import { HAS_ADDRESSES, UNSETTLED_ADDRESSES } from './next-claim.ts';
import { unitOf, type SendUnit } from './send-unit.ts';
import { before, go, logTransition } from './transitions.ts';

/** Rows that one call of a sweep changes at most; as many mean that there may be more. */
export const ROWS_PER_SWEEP = 1000;
/** Campaigns that are completed by one call at most. */
export const CAMPAIGNS_PER_SWEEP = 100;
const UNSENT_STATES: readonly DeliveryState[] = ['pending', 'claimed', 'retry_wait'];
/** While its campaign is at work, a chunk of which something was armed is looked at so often: an arming that began before a look may end after it. */
const LEASES_EVERY_SECONDS = 30;

/**
 * Small campaigns that are not expanded and that no announcement is about to reach: those of the gateway are
 * announced by it, the others only found here. @callers campaigns
 */
export async function campaignsToExpand(
  db: Database,
  announcementGraceMs: number,
): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>(
    `select id from campaigns where lane = 'express' and status in ('queued', 'sending') and expanded_at is null
     and (source <> 'api' or created_at < now() - $1::float8 * interval '1 ms') order by id limit 1000`,
    [announcementGraceMs],
  );
  return rows.map((row) => row.id);
}

/**
 * Sends whose worker is gone: the outcome is unknown, and nobody sends them again, save where a repeat does no harm or
 * the application wants one: those are due once more. Returns how many. A send that was armed while Postgres' clock was
 * ahead may be under way: it gets its lease anew. @callers campaigns
 */
export async function expireSendingLeases(db: Database): Promise<number> {
  return db.transaction(async (sql) => {
    const found = await overdueSends(sql);
    await renewLeases(
      sql,
      found.filter((row) => row.is_ahead),
    );
    const rows = found.filter((row) => !row.is_ahead);
    // Whoever tests sees what became of it, and sends again by himself.
    const isRepeated = ({ channel, resend, doubts, is_test: isTest }: SendingRow): boolean =>
      !isTest && isSentAgain(channel, { setting: resend ?? undefined, doubts });
    const changed = await changeDeliveryStates(
      sql,
      ['sending'],
      rows.map((row) => {
        const change = {
          ...unitOf(row),
          fence: row.fence,
          reason: 'outcome_unknown',
          outcome: 'unknown',
        } as const;
        return isRepeated(row)
          ? { ...change, state: 'retry_wait', delayMs: SENT_AGAIN_AFTER_MS[row.channel] }
          : { ...change, state: 'unknown' };
      }),
    );
    await wakeChunks(
      sql,
      rows
        .filter(isRepeated)
        .map((row) => ({ campaignId: row.campaign_id, chunkNo: row.chunk_no })),
    );
    await sql.query(
      `with ended as (
         select k.campaign_id, k.chunk_no from campaign_chunks k where k.leased_until < now() order by 1, 2 limit $1 for update skip locked)
       update campaign_chunks k
       set leased_until = least(
         (select min(d.lease_until) from deliveries d where d.campaign_id = k.campaign_id and d.chunk_no = k.chunk_no and d.state = 'sending'),
         case when ${HAS_ADDRESSES('c.channel')} then (select min(d.lease_until) from ${UNSETTLED_ADDRESSES} and d.state = 'sending') end,
         case when k.pending_action is not null or (k.due_at is not null and c.status in ('sending', 'paused')) then now() + ${LEASES_EVERY_SECONDS} * interval '1 s' end),
           written_at = ${writtenNow('k')}
       from ended e join campaigns c on c.id = e.campaign_id where k.campaign_id = e.campaign_id and k.chunk_no = e.chunk_no`,
      [ROWS_PER_SWEEP],
    );
    return changed.size;
  });
}

/**
 * Deliveries, and addresses of others, whose lease has ended; of an address the delivery is locked, as before any change of it.
 * Chunk by chunk, by their index, whatever Postgres takes the size of a table for: it would read all deliveries there are.
 */
async function overdueSends(sql: Sql): Promise<SendingRow[]> {
  const isOverdue = `d.campaign_id = k.campaign_id and d.chunk_no = k.chunk_no and d.state = 'sending' and (d.lease_until < now() or ${isWrittenAhead('d.updated_at')})`;
  const isAhead = `${isWrittenAhead('d.updated_at')} as is_ahead`;
  const resend = `(a.settings -> 'resendOnUnknown' ->> c.channel)::boolean as resend`;
  const { rows: deliveries } = await sql.query<SendingRow>(
    `select row.*, c.channel, ${resend}
     from campaign_chunks k join campaigns c on c.id = k.campaign_id join applications a on a.id = c.application_id
     cross join lateral (
       select d.id as "deliveryId", d.fence, d.campaign_id, d.chunk_no, d.doubts, d.test_address is not null as is_test, ${isAhead}
       from deliveries d where ${isOverdue} order by d.id limit $1 for update of d skip locked) row
     where k.leased_until < now() limit $1`,
    [ROWS_PER_SWEEP],
  );
  const { rows: addresses } = await sql.query<SendingRow>(
    `select row.*, c.channel, ${resend}
     from campaign_chunks k join campaigns c on c.id = k.campaign_id and ${HAS_ADDRESSES('c.channel')} join applications a on a.id = c.application_id
     cross join lateral (
       select d.delivery_id as "deliveryId", d.address_no as "addressNo", d.fence, d.campaign_id, d.chunk_no, d.doubts, o.test_address is not null as is_test, ${isAhead}
       from delivery_addresses d join deliveries o on o.id = d.delivery_id
       where ${isOverdue} order by o.id, d.address_no limit $1 for update of o skip locked) row
     where k.leased_until < now() limit $1`,
    [ROWS_PER_SWEEP],
  );
  return [...deliveries, ...addresses];
}

type SendingRow = SendUnit & {
  readonly fence: number;
  readonly channel: Channel;
  readonly campaign_id: string;
  readonly chunk_no: number;
  readonly doubts: number;
  readonly is_test: boolean;
  readonly resend: boolean | null;
  /** It was armed while Postgres' clock was ahead. */
  readonly is_ahead: boolean;
};

/** Sends that were armed while Postgres' clock was ahead, locked by the caller: as long a lease as they had, from now on. */
async function renewLeases(sql: Sql, sends: readonly SendingRow[]): Promise<void> {
  if (sends.length === 0) return;
  const renewed = `lease_until = now() + (d.lease_until - d.updated_at), updated_at = now()`;
  const addresses = sends.filter(({ addressNo }) => addressNo !== undefined);
  const deliveryIds = sends
    .filter(({ addressNo }) => addressNo === undefined)
    .map(({ deliveryId }) => deliveryId);
  await sql.query(
    `update deliveries d set ${renewed} where d.id = any($1) and d.state = 'sending'`,
    [deliveryIds],
  );
  await sql.query(
    `update delivery_addresses d set ${renewed} from unnest($1::uuid[], $2::smallint[]) as x(id, no)
     where d.delivery_id = x.id and d.address_no = x.no and d.state = 'sending'`,
    [addresses.map(({ deliveryId }) => deliveryId), addresses.map(({ addressNo }) => addressNo)],
  );
}

/** Deliveries of campaigns past their expiry that were never handed over. Returns how many. @callers campaigns */
export async function expireCampaigns(db: Database): Promise<number> {
  return db.transaction(async (sql) => {
    const { rows: campaigns } = await sql.query<{ id: string }>(
      `select id from campaigns where status in ('queued', 'sending', 'paused') and expires_at <= now()`,
    );
    if (campaigns.length === 0) return 0;
    const rows = await unsentRows(
      sql,
      campaigns.map((campaign) => campaign.id),
    );
    const changed = await changeDeliveryStates(
      sql,
      UNSENT_STATES,
      // What waited to be sent again may have arrived: of that nobody can say that it was not sent.
      rows.map((row) =>
        row.doubts > 0
          ? { ...unitOf(row), fence: null, state: 'unknown', reason: 'outcome_unknown' }
          : { ...unitOf(row), fence: null, state: 'expired' },
      ),
    );
    return changed.size;
  });
}

/** What waited in the inbox until its time was over. Returns how many. @callers campaigns */
export async function expireInbox(db: Database): Promise<number> {
  return db.transaction(async (sql) => {
    const taken = await takeBackFromInbox(sql, await lockExpiredInInbox(sql, ROWS_PER_SWEEP));
    return (
      await changeDeliveryStates(
        sql,
        ['waiting'],
        [...taken].map((deliveryId) => ({ deliveryId, fence: null, state: 'expired' as const })),
      )
    ).size;
  });
}

/** What was never handed over of these campaigns. Only chunks that are still due have rows to send; they are read one by one, too. */
async function unsentRows(
  sql: Sql,
  campaignIds: readonly string[],
): Promise<(SendUnit & { readonly doubts: number })[]> {
  const isUnsent = `d.campaign_id = k.campaign_id and d.chunk_no = k.chunk_no and (d.state in ('pending', 'retry_wait') or ${IS_CLAIM_OVER})`;
  const { rows: deliveries } = await sql.query<SendUnit & { doubts: number }>(
    `select row.* from campaign_chunks k cross join lateral (
       select d.id as "deliveryId", d.doubts from deliveries d where d.addressed_at is null and ${isUnsent} limit $2 for update of d skip locked) row
     where k.campaign_id = any($1) and k.due_at is not null limit $2`,
    [campaignIds, ROWS_PER_SWEEP],
  );
  const { rows: addresses } = await sql.query<SendUnit & { doubts: number }>(
    `select row.* from campaign_chunks k join campaigns c on c.id = k.campaign_id and ${HAS_ADDRESSES('c.channel')} cross join lateral (
       select d.delivery_id as "deliveryId", d.address_no as "addressNo", d.doubts from delivery_addresses d join deliveries o on o.id = d.delivery_id
       where ${isUnsent} limit $2 for update of o skip locked) row
     where k.campaign_id = any($1) and k.due_at is not null limit $2`,
    [campaignIds, ROWS_PER_SWEEP],
  );
  return [...deliveries, ...addresses];
}

/**
 * Completes campaigns that are expanded, have nothing pending, not even an address of a delivery that was
 * sent to another, and no failures that are yet to be tried again. Returns how many. @callers campaigns
 */
export async function completeCampaigns(db: Database): Promise<number> {
  // Somebody else may have completed it meanwhile, and its failures were made due again: then it is `sending` as before, but not settled.
  const { rowCount } = await db.sql.query(
    `with settled as (
       select c.id, c.retried_at from campaigns c
       where c.${before('complete')} and c.expanded_at is not null
         and not exists (select 1 from campaign_chunks k where k.campaign_id = c.id and k.pending_action is not null)
         and not (${HAS_ADDRESSES('c.channel')} and exists (
           select 1 from campaign_chunks k where k.campaign_id = c.id and k.due_at is not null and exists (select 1 from ${UNSETTLED_ADDRESSES})))
         and (select coalesce(sum(k.n), 0) from campaign_counters k where k.campaign_id = c.id and k.state = 'pending') = 0
       order by c.id limit ${CAMPAIGNS_PER_SWEEP}),
     timed as (
       select s.id, s.retried_at,
         (select percentile_disc(array[0.5, 0.95]) within group (order by extract(epoch from d.sent_at - c.created_at) * 1000)
          from deliveries d where d.campaign_id = s.id and d.sent_at is not null) as percentiles
       from settled s join campaigns c on c.id = s.id),
     completed as (
       update campaigns c set ${go('complete')}, completed_at = now(), p50_ms = percentiles[1]::bigint, p95_ms = percentiles[2]::bigint
       from timed where c.id = timed.id and c.${before('complete')} and c.retried_at is not distinct from timed.retried_at returning c.id)
     ${logTransition('complete', 'completed')}`,
  );
  return rowCount ?? 0;
}
