import { isDeviceChannel, type Channel, type ChunkRef, type Lane } from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A chunk that is to be announced to the workers of its channel and lane. */
export type DueChunk = ChunkRef & {
  readonly applicationId: string;
  readonly channel: Channel;
  readonly lane: Lane;
};

/** A due chunk, and where its last pointer stands. */
export type DispatchedChunk = DueChunk & {
  readonly dispatchedPartition: number | null;
  readonly dispatchedOffset: bigint | null;
};

/** Where a pointer stands in the topic of its channel and lane. */
export type RecordPosition = { readonly partition: number; readonly offset: bigint };

/** Due chunks that one call of a sweep finds at most. */
export const CHUNKS_PER_SWEEP = 500;

/** Whoever is about to announce a chunk gets this long; then the sweep looks whether it did. */
export const DISPATCH_GRACE_SECONDS = 5;

/** Chunks of the express lane that it is time to look at; those of the bulk lane take turns (`dueBulkChunks`). */
export async function dueChunks(db: Database): Promise<DispatchedChunk[]> {
  const { rows } = await db.sql.query<DispatchedChunkRow>(statement('due-chunks'), [
    CHUNKS_PER_SWEEP,
  ]);
  return rows.map(toDispatchedChunk);
}

/** Leaves due chunks alone for a while. @callers campaigns */
export async function postponeChunks(
  db: Database,
  chunks: readonly ChunkRef[],
  delayMs: number,
): Promise<void> {
  if (chunks.length === 0) return;
  await db.sql.query(statement('postpone-chunks'), [...columns(chunks), delayMs]);
}

/**
 * Looks at the rows of due chunks and sets when each is due next: never, when all of it is settled; when its next row
 * can be claimed, or the lease of a send ends, whose outcome may be another try; after `idleMs`, when its campaign or channel is paused. Returns the chunks with rows that can be
 * claimed now: the caller announces them, and if it does not, they are due again soon. @callers campaigns
 */
export async function takeChunks(
  db: Database,
  chunks: readonly ChunkRef[],
  idleMs: number,
): Promise<DueChunk[]> {
  if (chunks.length === 0) return [];
  return db.transaction(async (sql) => {
    const { rows: locked } = await sql.query<{ campaign_id: string; chunk_no: number }>(
      statement('lock-due-chunks'),
      columns(chunks),
    );
    // A statement of its own, because it must see every row that was scheduled before the locks were taken.
    const { rows } = await sql.query<DueChunkRow>(statement('take-chunks'), [
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

/** A chunk of which rows were scheduled; `read`: where the pointer stood that is done with. */
export type FinishedChunk = ChunkRef & { readonly read?: RecordPosition };

/**
 * Makes each chunk due when its next row can be claimed, if that is sooner than it is due: for whoever has scheduled
 * rows of it. A pointer that is done with waits no longer, though those before it may hold back its commit. Of a chunk
 * that is named twice the last pointer counts. `channel` as in a claim. @callers channel-worker
 */
export async function scheduleChunks(
  db: Database,
  chunks: readonly FinishedChunk[],
  channel?: Channel,
): Promise<void> {
  // A statement updates a row once.
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

/** Leaves a chunk alone for a while in which nothing of it can be sent; `read` as above. @callers channel-worker */
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
  await sql.query(statement('wake-chunks'), columns(chunks));
}

/** Makes every chunk of the campaign that is due some time due at once: its rows may be claimed again. @callers delivery */
export async function wakeCampaign(sql: Sql, campaignId: string): Promise<void> {
  await sql.query(statement('wake-campaign'), [campaignId]);
}

/** Notes where the pointers of these chunks stand, so that a sweep repeats none that still waits to be read. @callers campaigns */
export async function markDispatched(
  db: Database,
  chunks: readonly (ChunkRef & RecordPosition)[],
): Promise<void> {
  await db.sql.query(statement('mark-dispatched'), [
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

export type DispatchedChunkRow = DueChunkRow & {
  readonly announced_partition: number | null;
  readonly announced_offset: string | null;
};

export const toDispatchedChunk = (row: DispatchedChunkRow): DispatchedChunk => ({
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
