import type { Database, Sql } from '@tidings/postgres/database';
import { joinByIndex } from '@tidings/postgres/join-by-index';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { forgetVisitsOf } from './link-visits.ts';
import { deliveriesLookedAt, handOverTimesSoFar } from './hand-over-times.ts';

/** SQL: nothing of the campaign `c` is going to be sent any more, nor was lately. */
const HAS_ENDED = `c.status in ('completed', 'canceled', 'failed') and c.expires_at < now()`;

/** SQL: the campaign `c` was accepted, and its failures made due again, more than `$1` days ago. By its id, which is a time, and of which an index is read no further. */
const IS_OLD = `c.id < (select uuidv7(-$1::float8 * interval '1 day')) and coalesce(c.retried_at, c.created_at) < now() - $1::float8 * interval '1 day'`;

/** Deliveries that one step looks at for the times in reports: as long as some hundred milliseconds of Postgres. */
const LOOKED_AT_MAX = 100_000;

type Forgetting = { readonly days: number; readonly limit: number; readonly lookedAtMax?: number };

/**
 * Says of the oldest campaigns that ended and are older than `days`, `limit` at most, that their recipients are forgotten: from now
 * on none of their failures is tried again, and the rows go by `deleteRecipientRows`. What a report would compute of the rows, it
 * has from then on. How many, and whether there may be more. @callers scheduler
 */
export async function beginToForgetRecipients(
  db: Database,
  { days, limit, lookedAtMax = LOOKED_AT_MAX }: Forgetting,
): Promise<{ readonly begun: number; readonly hasMore: boolean }> {
  return transact(db, async (sql) => {
    const { rows: due } = await sql.query<{
      id: string;
      recipientsUnique: number;
      isUntimed: boolean;
    }>(
      `select c.id, c.recipients_unique as "recipientsUnique", c.p50_ms is null as "isUntimed" from campaigns c
       where c.has_recipient_rows and c.recipients_forgotten_at is null and ${HAS_ENDED} and ${IS_OLD} order by c.id limit $2 for no key update skip locked`,
      [days, limit],
    );
    let lookedAt = 0;
    // One that is larger than a step goes by itself.
    const taken = due.filter(
      ({ isUntimed, recipientsUnique }, at) =>
        (lookedAt += isUntimed ? deliveriesLookedAt(recipientsUnique) : 0) <= lookedAtMax ||
        at === 0,
    );
    const times = await handOverTimesSoFar(
      sql,
      taken.filter(({ isUntimed }) => isUntimed),
    );
    await sql.query(
      `update campaigns c set recipients_forgotten_at = now(), p50_ms = coalesce(c.p50_ms, t."p50Ms"), p95_ms = coalesce(c.p95_ms, t."p95Ms")
       from jsonb_to_recordset($1::jsonb) as t (id uuid, "p50Ms" bigint, "p95Ms" bigint) where c.id = t.id`,
      [JSON.stringify(taken.map(({ id }) => ({ id, ...times.get(id) })))],
    );
    return { begun: taken.length, hasMore: due.length === limit || taken.length < due.length };
  });
}

const CHUNKS_OF_ROWS = 200;
const CAMPAIGNS_PER_STEP = 500;

/**
 * Deletes the rows of campaigns whose recipients are forgotten: of some small ones together, or a part of a large one, with about
 * `limit` recipients at most; the counters stay. Whether there may be more. @callers scheduler
 */
export function deleteRecipientRows(
  db: Database,
  limit: number,
): Promise<{ readonly deleted: number; readonly hasMore: boolean }> {
  return transact(db, async (sql) => {
    const { rows } = await sql.query<{ id: string; recipients: number }>(
      `select id, recipients_unique as recipients from campaigns where has_recipient_rows and recipients_forgotten_at is not null
       order by id limit $1 for no key update skip locked`,
      [CAMPAIGNS_PER_STEP],
    );
    const [first] = rows;
    if (first === undefined) return { deleted: 0, hasMore: false };
    let sum = 0;
    const small = rows.filter(({ recipients }) => (sum += recipients) <= limit).map(({ id }) => id);
    const ids = small.length === 0 ? [first.id] : small;
    const chunksMax = small.length === 0 ? Math.max(1, Math.floor(limit / CHUNKS_OF_ROWS)) : null;
    const { chunks, rows: deleted } = await deleteChunks(sql, ids, chunksMax);
    if (small.length === 0 && chunks > 0) return { deleted, hasMore: true };
    const events = await deleteEvents(sql, ids, small.length === 0 ? limit : null);
    if (small.length === 0 && events > 0) return { deleted: events, hasMore: true };
    await sql.query('update campaigns set has_recipient_rows = false where id = any($1)', [ids]);
    return { deleted: deleted + events, hasMore: true };
  });
}

/** Callbacks and deletions of users lock rows of the same deliveries. */
function transact<T>(db: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  const joining = async (sql: Sql): Promise<T> => {
    await joinByIndex(sql);
    return work(sql);
  };
  return retryConflicts(() => db.transaction(joining));
}

/** Each chunk with all that belongs to it, so that no delivery is left that no chunk has. */
async function deleteChunks(
  sql: Sql,
  campaignIds: readonly string[],
  limit: number | null,
): Promise<{ readonly chunks: number; readonly rows: number }> {
  const { rows } = await sql.query<{ chunks: number; rows: number; delivery_ids: string[] }>(
    `with chunk as (
       delete from campaign_chunks where (campaign_id, chunk_no) in (
         select campaign_id, chunk_no from campaign_chunks where campaign_id = any($1) order by campaign_id, chunk_no limit $2 for update)
       returning campaign_id, chunk_no),
     address as (
       delete from delivery_addresses a using chunk where a.campaign_id = chunk.campaign_id and a.chunk_no = chunk.chunk_no returning 1),
     delivery as (
       delete from deliveries d using chunk where d.campaign_id = chunk.campaign_id and d.chunk_no = chunk.chunk_no returning d.id),
     outcome as (delete from open_outcomes o using delivery where o.delivery_id = delivery.id returning 1)
     select (select count(*)::int from chunk) as chunks, array(select id from delivery) as delivery_ids,
            ((select count(*) from delivery) + (select count(*) from address) + (select count(*) from outcome))::int as rows`,
    [campaignIds, limit],
  );
  const { chunks = 0, rows: deleted = 0, delivery_ids: deliveryIds = [] } = rows[0] ?? {};
  await forgetVisitsOf(sql, deliveryIds);
  return { chunks, rows: deleted };
}

async function deleteEvents(
  sql: Sql,
  campaignIds: readonly string[],
  limit: number | null,
): Promise<number> {
  const { rowCount } = await sql.query(
    `delete from campaign_events where seq = any(array(select seq from campaign_events where campaign_id = any($1) order by campaign_id, seq limit $2))`,
    [campaignIds, limit],
  );
  return rowCount ?? 0;
}

/** Deletes campaigns older than `days` whose recipients are gone, with their counters, the oldest first; how many. @callers scheduler */
export async function forgetCampaigns(
  db: Database,
  { days, limit }: { readonly days: number; readonly limit: number },
): Promise<number> {
  return transact(db, async (sql) => {
    const { rows } = await sql.query<{ gone: number }>(
      `with due as (
         select c.id from campaigns c where not c.has_recipient_rows and ${IS_OLD} order by c.id limit $2 for update skip locked),
       counter as (delete from campaign_counters k using due where k.campaign_id = due.id),
       late_event as (delete from campaign_events e using due where e.campaign_id = due.id),
       campaign as (delete from campaigns c using due where c.id = due.id returning 1)
       select count(*)::int as gone from campaign`,
      [days, limit],
    );
    return rows[0]?.gone ?? 0;
  });
}
