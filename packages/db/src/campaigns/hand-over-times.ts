import { CHUNK_ROWS_MAX } from '@tidings/contracts';
import type { Database } from '../database.ts';

export type HandOverTimes = { readonly p50Ms: number; readonly p95Ms: number };

/** 10,000 deliveries: some milliseconds of Postgres, however large the campaign is. */
const CHUNKS_MAX = 50;

/**
 * From acceptance to hand-over, of what was sent so far; null when nothing was. Of a large campaign every n-th chunk is
 * looked at: chunks go out about in order, so these are spread over its whole time. When a campaign completes, the exact
 * figures of all its deliveries are stored with it.
 */
export async function handOverTimesSoFar(db: Database, campaignId: string, recipientsUnique: number): Promise<HandOverTimes | null> {
  const chunks = Math.ceil(recipientsUnique / CHUNK_ROWS_MAX);
  const step = Math.ceil(chunks / CHUNKS_MAX);
  const looked = Array.from({ length: Math.ceil(chunks / step) }, (_, index) => index * step);
  const { rows } = await db.sql.query<{ times: readonly number[] | null }>(
    `select percentile_disc(array[0.5, 0.95]) within group (order by (extract(epoch from d.sent_at - c.created_at) * 1000)::float8) as times
     from campaigns c join deliveries d on d.campaign_id = c.id
     where c.id = $1 and d.chunk_no = any($2) and d.sent_at is not null`,
    [campaignId, looked],
  );
  const [p50Ms, p95Ms] = rows[0]?.times ?? [];
  return p50Ms === undefined || p95Ms === undefined ? null : { p50Ms: Math.round(p50Ms), p95Ms: Math.round(p95Ms) };
}
