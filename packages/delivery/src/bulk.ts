import type { Database } from '@tidings/postgres/database';
import { toAnnouncedChunk, type AnnouncedChunk, type AnnouncedChunkRow } from './chunks.ts';

/** The next large campaign of each application whose recipients are not all expanded yet. */
export async function bulkCampaignsToExpand(
  db: Database,
  except: readonly string[],
): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>(
    `select distinct on (application_id) id from campaigns
     where lane = 'bulk' and status in ('queued', 'sending') and expanded_at is null and id <> all($1::uuid[])
     order by application_id, id`,
    [except],
  );
  return rows.map((row) => row.id);
}

/**
 * Due chunks of large campaigns, of each application and channel as many at most, those that have waited longest first.
 * Campaigns that are paused keep theirs as they are.
 */
export async function dueBulkChunks(
  db: Database,
  perApplicationMax: number,
): Promise<AnnouncedChunk[]> {
  const { rows } = await db.sql.query<AnnouncedChunkRow>(
    `select a.application_id, a.channel, 'bulk' as lane, due.*
     from (select distinct application_id, channel from campaigns where lane = 'bulk' and status = 'sending' and expires_at > now()) a
     cross join lateral (
       select k.campaign_id, k.chunk_no, k.announced_partition, k.announced_offset
       from campaigns c cross join lateral (
         select k.* from campaign_chunks k where k.campaign_id = c.id and k.lane = 'bulk' and k.due_at <= now()
         order by k.due_at, k.chunk_no limit $1) k
       where c.lane = 'bulk' and c.status = 'sending' and c.expires_at > now() and c.application_id = a.application_id and c.channel = a.channel
       order by k.due_at, k.campaign_id, k.chunk_no limit $1) due`,
    [perApplicationMax],
  );
  return rows.map(toAnnouncedChunk);
}
