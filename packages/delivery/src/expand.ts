import type { ChunkRef } from '@tidings/contracts/ingest/records';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { DISPATCH_GRACE_SECONDS, toDueChunk, type DueChunk, type DueChunkRow } from './chunks.ts';
import { counterShard } from './counting.ts';
import { chunkKey, holdUntilLocalTime } from './local-times.ts';

const statement = statementsIn(import.meta.dirname);

const CHUNKS_PER_STEP = 10;

/**
 * Small campaigns share a transaction, up to about the recipients of one step of a large campaign.
 */
const RECIPIENTS_PER_STEP = 2_000;

/** Moves a queued campaign to sending; false if it has nothing to expand. @callers campaigns */
export async function startCampaign(db: Database, campaignId: string): Promise<boolean> {
  const { rows } = await db.sql.query<{ status: string }>(statement('start-campaign'), [
    campaignId,
  ]);
  return rows.length > 0;
}

/**
 * Turns the next chunks of recipients into deliveries, each exactly once; chunks that another
 * process holds are skipped. Recipients on a channel that is not ready fail. Unknown recipients
 * wait for the lookup. Returns the chunks to dispatch, or null if none is left or the campaign is
 * not sending. @callers campaigns
 */
export async function expandNextChunks(
  db: Database,
  campaignId: string,
): Promise<DueChunk[] | null> {
  const due = await db.transaction(async (sql) => {
    // Pause and cancel wait for this step, and no step starts after them. Steps do not block each
    // other.
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
  // Outside the transaction: two processes with the campaign's shared lock would deadlock.
  if (due === null) await markExpanded(db.sql, campaignId);
  return due;
}

/**
 * Turns unexpanded chunks of a canceled campaign into canceled deliveries, so that every recipient
 * has an outcome. @callers delivery
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
 * Starts, expands and finishes the expansion of express campaigns in one transaction: thousands of
 * campaigns per second with one recipient are normal load. Takes the smallest first, one step's
 * worth; `done` has their ids. The others are for the next step, or large, ended or held by another
 * process. @callers campaigns
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
 * Turns locked chunks into deliveries and returns those with something to send. The caller
 * dispatches express chunks; if it does not, they come due. Bulk chunks are due at once and wait
 * for the bulk dispatcher.
 */
async function expandChunks(sql: Sql, chunks: readonly ChunkRef[]): Promise<DueChunk[]> {
  const { rows } = await sql.query<DueChunkRow & { send_at_local: string | null }>(EXPAND, [
    chunks.map((chunk) => chunk.campaignId),
    chunks.map((chunk) => chunk.chunkNo),
    counterShard,
    DISPATCH_GRACE_SECONDS,
  ]);
  const local = rows.filter((row) => row.send_at_local !== null).map(toDueChunk);
  if (local.length === 0) return rows.map(toDueChunk);
  const due = await holdUntilLocalTime(sql, local);
  return rows
    .filter((row) => row.send_at_local === null || due.has(chunkKey(toDueChunk(row))))
    .map(toDueChunk);
}

async function markExpanded(sql: Sql, campaignId: string): Promise<void> {
  await sql.query(statement('mark-expanded'), [campaignId]);
}
