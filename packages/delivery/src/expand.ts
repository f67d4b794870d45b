import { CHANNEL_SENDS } from '@tidings/accounts/channel-settings';
import type { ChunkPointer } from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { prepared } from '@tidings/postgres/prepared';
import { writtenNow } from '@tidings/postgres/written-ahead';
import {
  ANNOUNCEMENT_GRACE_SECONDS,
  toDueChunk,
  type DueChunk,
  type DueChunkRow,
} from './chunks.ts';
import { addToCounters, countedReason, counterShard, groupOf } from './counting.ts';
import { before, go, logTransition } from './transitions.ts';

const CHUNKS_PER_STEP = 10;

/** Small campaigns share a transaction up to about as many recipients as a step of a large one has. */
const RECIPIENTS_PER_STEP = 2_000;

/** Moves a queued campaign to sending; false when there is nothing of it to expand. @callers campaigns */
export async function startCampaign(db: Database, campaignId: string): Promise<boolean> {
  const { rows } = await db.sql.query<{ status: string }>(
    `with started as (
       update campaigns set ${go('start')}, started_at = now() where id = $1 and ${before('start')} returning id),
     log as (${logTransition('start', 'started')})
     select status from campaigns where id = $1 and expanded_at is null and status in ('queued', 'sending')`,
    [campaignId],
  );
  return rows.length > 0;
}

/**
 * Turns the next chunks of recipients into deliveries, each chunk exactly once: a chunk that another process holds is
 * skipped, one that is expanded is gone. Recipients of a channel that is not ready fail here; recipients nobody knows
 * yet wait for the look-up. Returns the chunks to announce, and null when no chunk is left, or the campaign is not sending
 * (any more). @callers campaigns
 */
export async function expandNextChunks(
  db: Database,
  campaignId: string,
): Promise<DueChunk[] | null> {
  const due = await db.transaction(async (sql) => {
    // Pause and cancel wait for this step, and no step begins after them. Steps do not wait for each other.
    const { rows: sending } = await sql.query(
      `select 1 from campaigns where id = $1 and status = 'sending' for share`,
      [campaignId],
    );
    if (sending.length === 0) return null;
    const { rows: chunks } = await sql.query<{ chunk_no: number }>(
      `select chunk_no from campaign_chunks where campaign_id = $1 and expanded_at is null
       order by chunk_no limit $2 for update skip locked`,
      [campaignId, CHUNKS_PER_STEP],
    );
    return chunks.length === 0
      ? null
      : expandChunks(
          sql,
          chunks.map((chunk) => ({ campaignId, chunkNo: chunk.chunk_no })),
        );
  });
  // By itself: two processes that share the campaign's lock would wait for each other.
  if (due === null) await markExpanded(db.sql, campaignId);
  return due;
}

/**
 * Turns those of these chunks that are not expanded into deliveries that are canceled from the beginning, when their
 * campaign is: every recipient has an outcome. @callers delivery
 */
export async function expandAsCanceled(
  db: Database,
  campaignId: string,
  chunkNos: readonly number[],
): Promise<void> {
  await db.transaction(async (sql) => {
    const { rows: chunks } = await sql.query<{ chunk_no: number }>(
      `select k.chunk_no from campaign_chunks k join campaigns c on c.id = k.campaign_id and c.status = 'canceled'
       where k.campaign_id = $1 and k.chunk_no = any($2) and k.expanded_at is null order by 1 for update of k skip locked`,
      [campaignId, chunkNos],
    );
    if (chunks.length > 0)
      await expandChunks(
        sql,
        chunks.map((chunk) => ({ campaignId, chunkNo: chunk.chunk_no })),
      );
  });
}

/**
 * Starts campaigns of the express lane, expands them and marks them expanded, all in one transaction: thousands of
 * campaigns of one recipient are somebody's normal second. Of those given it takes the smallest first, a step's worth;
 * their ids are in `done`. The others are left for the next step, or none of its business: large, at an end, or in the
 * hands of another process. @callers campaigns
 */
export async function expandSmallCampaigns(
  db: Database,
  campaignIds: readonly string[],
): Promise<{ readonly chunks: DueChunk[]; readonly done: ReadonlySet<string> }> {
  return db.transaction(async (sql) => {
    const { rows: small } = await sql.query<{ id: string }>(
      `select c.id from campaigns c
       join (select id, sum(recipients_unique) over (order by recipients_unique, id) - recipients_unique as before
             from campaigns where id = any($1) and lane = 'express' and status in ('queued', 'sending') and expanded_at is null) sized on sized.id = c.id
       where sized.before < $2 and c.status in ('queued', 'sending') and c.expanded_at is null
       order by c.id for update of c skip locked`,
      [campaignIds, RECIPIENTS_PER_STEP],
    );
    const ids = small.map((row) => row.id);
    if (ids.length === 0) return { chunks: [], done: new Set() };
    await sql.query(
      `with started as (update campaigns set ${go('start')}, started_at = now() where id = any($1) and ${before('start')} returning id)
       ${logTransition('start', 'started')}`,
      [ids],
    );
    const { rows: chunks } = await sql.query<{ campaign_id: string; chunk_no: number }>(
      `select campaign_id, chunk_no from campaign_chunks where campaign_id = any($1) and expanded_at is null order by 1, 2 for update`,
      [ids],
    );
    const due = await expandChunks(
      sql,
      chunks.map((chunk) => ({ campaignId: chunk.campaign_id, chunkNo: chunk.chunk_no })),
    );
    await sql.query('update campaigns set expanded_at = now() where id = any($1)', [ids]);
    return { chunks: due, done: new Set(ids) };
  });
}

const EXPAND = prepared(
  `with chosen as (select * from unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)),
   campaign as (
     select c.id, c.application_id, c.channel, c.lane, c.source = 'test' as is_test,
            c.source = 'test' or ${CHANNEL_SENDS} as is_ready, c.status = 'canceled' as is_canceled
     from campaigns c join applications a on a.id = c.application_id
     left join channel_settings s on s.application_id = c.application_id and s.channel = c.channel
     where c.id = any($1)),
   made as (
     insert into deliveries (campaign_id, chunk_no, application_id, channel, custom_user_id, user_id, test_address, state, reason)
     select c.id, k.chunk_no, c.application_id, c.channel, r.value, u.id, case when c.is_test then r.value end,
            case when c.is_canceled then 'canceled' when not c.is_ready and u.id is not null then 'failed' else 'pending' end,
            case when not c.is_canceled and not c.is_ready and u.id is not null then 'channel_not_configured' end
     from campaign c join chosen x on x.campaign_id = c.id
     join campaign_chunks k on k.campaign_id = x.campaign_id and k.chunk_no = x.chunk_no
     cross join lateral jsonb_array_elements_text(k.recipients) with ordinality as r
     left join users u on not c.is_test and u.application_id = c.application_id and u.custom_user_id = r.value
       and u.registered_at is not null
     order by c.id, k.chunk_no, r.ordinality
     on conflict (campaign_id, custom_user_id) do nothing
     returning id, campaign_id, chunk_no, state, reason, user_id, test_address),
   counted as (${addToCounters(
     `select campaign_id, ${groupOf('state')} as state, ${countedReason('state', 'reason')} as reason, 1 as n from made`,
     '$3',
   )}),
   logged as (
     insert into campaign_events (campaign_id, type, delivery_id, status, reason)
     select campaign_id, 'delivery.' || state, id, state, reason from made where state <> 'pending'),
   sendable as (
     select distinct campaign_id, chunk_no from made where state = 'pending' and (user_id is not null or test_address is not null)),
   unresolved as (select distinct campaign_id, chunk_no from made where state = 'pending' and user_id is null and test_address is null),
   emptied as (
     update campaign_chunks k set expanded_at = now(), recipients = null, pending_action = null, written_at = ${writtenNow('k')},
            unresolved_at = case when exists (select 1 from unresolved u where u.campaign_id = k.campaign_id and u.chunk_no = k.chunk_no) then now() end,
            due_at = case when exists (select 1 from sendable s where s.campaign_id = k.campaign_id and s.chunk_no = k.chunk_no)
                          then now() + case when k.lane = 'bulk' then 0 else $4::float8 end * interval '1 s' end
     from chosen x where k.campaign_id = x.campaign_id and k.chunk_no = x.chunk_no)
   select s.campaign_id, s.chunk_no, c.application_id, c.channel, c.lane from sendable s join campaign c on c.id = s.campaign_id order by 1, 2`,
);

/**
 * Turns chunks whose rows are locked into deliveries; returns those that have something to send. Those of the express
 * lane are the caller's to announce, and due if it does not; those of the bulk lane are due at once, and take turns.
 */
async function expandChunks(sql: Sql, chunks: readonly ChunkPointer[]): Promise<DueChunk[]> {
  const { rows } = await sql.query<DueChunkRow>(EXPAND, [
    chunks.map((chunk) => chunk.campaignId),
    chunks.map((chunk) => chunk.chunkNo),
    counterShard,
    ANNOUNCEMENT_GRACE_SECONDS,
  ]);
  return rows.map(toDueChunk);
}

async function markExpanded(sql: Sql, campaignId: string): Promise<void> {
  await sql.query(
    `update campaigns set expanded_at = now() where id = $1 and expanded_at is null
     and not exists (select 1 from campaign_chunks where campaign_id = $1 and expanded_at is null)`,
    [campaignId],
  );
}
