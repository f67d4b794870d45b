import type { ChunkRef } from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { DISPATCH_GRACE_SECONDS, toDueChunk, type DueChunk, type DueChunkRow } from './chunks.ts';
import { counterShard } from './counting.ts';

const statement = statementsIn(import.meta.dirname);

const CHUNKS_PER_STEP = 10;

/** Small campaigns share a transaction up to about as many recipients as a step of a large one has. */
const RECIPIENTS_PER_STEP = 2_000;

/** Moves a queued campaign to sending; false when there is nothing of it to expand. @callers campaigns */
export async function startCampaign(db: Database, campaignId: string): Promise<boolean> {
  const { rows } = await db.sql.query<{ status: string }>(statement('start-campaign'), [
    campaignId,
  ]);
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
    const { rows: sending } = await sql.query(statement('share-campaign-in-sending'), [campaignId]);
    if (sending.length === 0) return null;
    const { rows: chunks } = await sql.query<{ chunk_no: number }>(
      statement('lock-next-chunks-to-expand'),
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
      statement('lock-chunks-to-expand-as-canceled'),
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
    const { rows: small } = await sql.query<{ id: string }>(statement('lock-small-campaigns'), [
      campaignIds,
      RECIPIENTS_PER_STEP,
    ]);
    const ids = small.map((row) => row.id);
    if (ids.length === 0) return { chunks: [], done: new Set() };
    await sql.query(statement('start-campaigns'), [ids]);
    const { rows: chunks } = await sql.query<{ campaign_id: string; chunk_no: number }>(
      statement('lock-chunks-of-small-campaigns'),
      [ids],
    );
    const due = await expandChunks(
      sql,
      chunks.map((chunk) => ({ campaignId: chunk.campaign_id, chunkNo: chunk.chunk_no })),
    );
    await sql.query(statement('mark-small-campaigns-expanded'), [ids]);
    return { chunks: due, done: new Set(ids) };
  });
}

const EXPAND = definePrepared(statement('expand-chunks'));

/**
 * Turns chunks whose rows are locked into deliveries; returns those that have something to send. Those of the express
 * lane are the caller's to announce, and due if it does not; those of the bulk lane are due at once, and take turns.
 */
async function expandChunks(sql: Sql, chunks: readonly ChunkRef[]): Promise<DueChunk[]> {
  const { rows } = await sql.query<DueChunkRow>(EXPAND, [
    chunks.map((chunk) => chunk.campaignId),
    chunks.map((chunk) => chunk.chunkNo),
    counterShard,
    DISPATCH_GRACE_SECONDS,
  ]);
  return rows.map(toDueChunk);
}

async function markExpanded(sql: Sql, campaignId: string): Promise<void> {
  await sql.query(statement('mark-expanded'), [campaignId]);
}
