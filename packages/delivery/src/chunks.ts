import type { Channel, Lane } from '@tidings/contracts/channels/channels';
import { isDeviceChannel } from '@tidings/contracts/channels/device-channels';
import type { ChunkRef } from '@tidings/contracts/ingest/records';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared, definePreparedByKeys } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

const DUE_CHUNKS = definePreparedByKeys(statement('due-chunks'));
const POSTPONE_CHUNKS = definePreparedByKeys(statement('postpone-chunks'));
const LOCK_DUE_CHUNKS = definePreparedByKeys(statement('lock-due-chunks'));
const TAKE_CHUNKS = definePreparedByKeys(statement('take-chunks'));
const WAKE_CHUNKS = definePreparedByKeys(statement('wake-chunks'));
const MARK_DISPATCHED = definePreparedByKeys(statement('mark-dispatched'));

/** A chunk to dispatch to the workers of its channel and lane. */
export type DueChunk = ChunkRef & {
  readonly applicationId: string;
  readonly channel: Channel;
  readonly lane: Lane;
};

/** A due chunk and the position of its last dispatch record. */
export type DueChunkWithRecord = DueChunk & {
  readonly dispatchedPartition: number | null;
  readonly dispatchedOffset: bigint | null;
};

/** Position of a dispatch record in the topic of its channel and lane. */
export type RecordPosition = { readonly partition: number; readonly offset: bigint };

/** Maximum due chunks per sweep step. */
export const CHUNKS_PER_SWEEP = 500;

/** Seconds in which a process must dispatch a chunk; then the sweep checks it. */
export const DISPATCH_GRACE_SECONDS = 5;

/** Due chunks of the express lane. For the bulk lane, see `dueBulkChunks`. */
export async function dueChunks(db: Database): Promise<DueChunkWithRecord[]> {
  const { rows } = await db.sql.query<DueChunkWithRecordRow>(DUE_CHUNKS, [CHUNKS_PER_SWEEP]);
  return rows.map(toDueChunkWithRecord);
}

/** Postpones due chunks by `delayMs`. @callers campaigns */
export async function postponeChunks(
  db: Database,
  chunks: readonly ChunkRef[],
  delayMs: number,
): Promise<void> {
  if (chunks.length === 0) return;
  await db.sql.query(POSTPONE_CHUNKS, [...columns(chunks), delayMs]);
}

/**
 * Sets the next due time of due chunks from their rows:
 *
 * - never, if all rows are settled,
 * - when the next row can be claimed or a send lease ends (its outcome may be a retry),
 * - after `idleMs`, if the campaign or channel is paused.
 *
 * Returns the chunks with claimable rows, which the caller dispatches. If it does not, they are due
 * again after 5 s. @callers campaigns
 */
export async function takeChunks(
  db: Database,
  chunks: readonly ChunkRef[],
  idleMs: number,
): Promise<DueChunk[]> {
  if (chunks.length === 0) return [];
  return db.transaction(async (sql) => {
    const { rows: locked } = await sql.query<{ campaign_id: string; chunk_no: number }>(
      LOCK_DUE_CHUNKS,
      columns(chunks),
    );
    // A separate statement, so that it sees every row scheduled before the locks were taken.
    const { rows } = await sql.query<DueChunkRow>(TAKE_CHUNKS, [
      locked.map((row) => row.campaign_id),
      locked.map((row) => row.chunk_no),
      idleMs,
      DISPATCH_GRACE_SECONDS,
    ]);
    return rows.map(toDueChunk);
  });
}

const SCHEDULE = definePrepared(statement('schedule-chunks'));
const SCHEDULE_ADDRESSES = definePrepared(statement('schedule-chunks-by-addresses'));

/** A chunk whose rows were scheduled; `read` is the position of the finished dispatch record. */
export type FinishedChunk = ChunkRef & { readonly read?: RecordPosition };

/**
 * Makes each chunk due when its next row can be claimed, if that is sooner. Marks its dispatch
 * record as read, because earlier records may delay the commit. For a chunk named twice, the last
 * record counts. `channel` as in a claim. @callers channel-worker
 */
export async function scheduleChunks(
  db: Database,
  chunks: readonly FinishedChunk[],
  channel?: Channel,
): Promise<void> {
  // One statement can update a row only once.
  const distinct = [
    ...new Map(
      chunks.toSorted(byOffset).map((chunk) => [`${chunk.campaignId} ${chunk.chunkNo}`, chunk]),
    ).values(),
  ];
  const text = channel !== undefined && isDeviceChannel(channel) ? SCHEDULE_ADDRESSES : SCHEDULE;
  await db.sql.query(text, [
    ...columns(distinct),
    distinct.map(({ read }) => read?.partition ?? null),
    distinct.map(({ read }) => read?.offset.toString() ?? null),
  ]);
}

const byOffset = (a: FinishedChunk, b: FinishedChunk): number =>
  Number((a.read?.offset ?? -1n) - (b.read?.offset ?? -1n));

/** Postpones a chunk that cannot send now by `delayMs`; `read` as above. @callers channel-worker */
export async function putOffChunk(
  db: Database,
  { campaignId, chunkNo }: ChunkRef,
  { delayMs, read }: { readonly delayMs: number; readonly read?: RecordPosition },
): Promise<void> {
  await db.sql.query(statement('put-off-chunk'), [
    campaignId,
    chunkNo,
    read?.partition ?? null,
    read?.offset.toString() ?? null,
    delayMs,
  ]);
}

/** Makes chunks due at once. @callers campaigns */
export async function wakeChunks(sql: Sql, chunks: readonly ChunkRef[]): Promise<void> {
  await sql.query(WAKE_CHUNKS, columns(chunks));
}

/** Makes every chunk of the campaign with a due time due at once. @callers delivery */
export async function wakeCampaign(sql: Sql, campaignId: string): Promise<void> {
  await sql.query(statement('wake-campaign'), [campaignId]);
}

/**
 * Stores the positions of dispatch records, so that a sweep does not dispatch an unread chunk
 * twice. @callers chunk-dispatch
 */
export async function markDispatched(
  db: Database,
  chunks: readonly (ChunkRef & RecordPosition)[],
): Promise<void> {
  await db.sql.query(MARK_DISPATCHED, [
    ...columns(chunks),
    chunks.map((chunk) => chunk.partition),
    chunks.map((chunk) => chunk.offset.toString()),
  ]);
}

export type DueChunkRow = {
  readonly campaign_id: string;
  readonly chunk_no: number;
  readonly application_id: string;
  readonly channel: Channel;
  readonly lane: Lane;
};

export type DueChunkWithRecordRow = DueChunkRow & {
  readonly announced_partition: number | null;
  readonly announced_offset: string | null;
};

export const toDueChunkWithRecord = (row: DueChunkWithRecordRow): DueChunkWithRecord => ({
  ...toDueChunk(row),
  dispatchedPartition: row.announced_partition,
  dispatchedOffset: row.announced_offset === null ? null : BigInt(row.announced_offset),
});

export const toDueChunk = (row: DueChunkRow): DueChunk => ({
  campaignId: row.campaign_id,
  chunkNo: row.chunk_no,
  applicationId: row.application_id,
  channel: row.channel,
  lane: row.lane,
});

const columns = (chunks: readonly ChunkRef[]): [string[], number[]] => [
  chunks.map((chunk) => chunk.campaignId),
  chunks.map((chunk) => chunk.chunkNo),
];
