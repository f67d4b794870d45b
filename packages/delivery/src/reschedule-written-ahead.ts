import type { Database } from '@tidings/postgres/database';
import { isWrittenAhead } from '@tidings/postgres/written-ahead';
import { CHUNKS_PER_SWEEP } from './chunks.ts';

/** How many rows of each table had been written while Postgres' clock was ahead. */
export type WrittenAhead = {
  readonly campaign_chunks: number;
  readonly deliveries: number;
  readonly delivery_addresses: number;
};

/**
 * Makes chunks due whose times were written while Postgres' clock was ahead. Of their rows those that were written then
 * count as due (`IS_DUE`), and the policies decide about them anew; all others keep their times. At most
 * `CHUNKS_PER_SWEEP` chunks. @callers campaigns
 */
export async function rescheduleWrittenAhead(db: Database): Promise<WrittenAhead> {
  const { rows } = await db.sql.query<WrittenAhead>(
    `with ahead as (
       select k.campaign_id, k.chunk_no from campaign_chunks k
       where ${isWrittenAhead('k.written_at')} and (k.due_at is not null or k.leased_until is not null or k.unresolved_at is not null)
       -- By this order alone the index is used, also where Postgres takes a third of all rows to be ahead.
       order by k.written_at limit $1 for update skip locked),
     rescheduled as (
       update campaign_chunks k
       set due_at = case when k.due_at is not null then now() end,
           leased_until = case when k.leased_until is not null then now() end,
           unresolved_at = case when k.unresolved_at is not null then now() end,
           written_at = now()
       from ahead a where k.campaign_id = a.campaign_id and k.chunk_no = a.chunk_no
       returning k.campaign_id, k.chunk_no)
     select count(*)::int as campaign_chunks,
       coalesce(sum(${countAhead('deliveries')}), 0)::int as deliveries,
       coalesce(sum(${countAhead('delivery_addresses')}), 0)::int as delivery_addresses
     from rescheduled k`,
    [CHUNKS_PER_SWEEP],
  );
  return rows[0] ?? { campaign_chunks: 0, deliveries: 0, delivery_addresses: 0 };
}

/** SQL of how many unsettled rows of the chunk `k` were written ahead. */
const countAhead = (table: 'deliveries' | 'delivery_addresses'): string =>
  `(select count(*) from ${table} d where d.campaign_id = k.campaign_id and d.chunk_no = k.chunk_no
    and d.state in ('pending', 'retry_wait', 'claimed', 'sending') and ${isWrittenAhead('d.updated_at')})`;
