import { isInboxChannel, type Channel, type Lane } from '@tidings/contracts/channels/channels';
import { isDeviceChannel } from '@tidings/contracts/channels/device-channels';
import type { ChunkRef } from '@tidings/contracts/ingest/records';
import type { MarkSending } from '@tidings/delivery/mark-sending-within-caps';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { scheduleChunks, type FinishedChunk, type RecordPosition } from '@tidings/delivery/chunks';
import {
  claimChunk,
  claimChunks,
  claimRead,
  readDueRows,
  type ClaimOptions,
  type ClaimedDelivery,
  type Fenced,
} from '@tidings/delivery/claims';
import { markGroupsSending } from '@tidings/delivery/mark-sending';
import {
  noteRendering,
  takeBackRendering,
  type RenderingNotes,
} from '@tidings/delivery/rendering-notes';
import { createMicroBatcher } from '@tidings/platform';
import { dataErrorState, type Database } from '@tidings/postgres/database';
import { LRUCache } from 'lru-cache';

export type ClaimedRows = {
  readonly deliveries: readonly ClaimedDelivery[];
  /** More rows may be due. */
  readonly isFull: boolean;
};

/** The statements that process a chunk. */
export interface ChunkStatements {
  /**
   * Takes some of the chunk's due rows: claims them for this worker, or only reads them
   * (`readUntil`).
   */
  claim(chunk: ChunkRef): Promise<ClaimedRows>;
  /** Claims those rows that were only read. Returns all that are this worker's claims. */
  claimRead(deliveries: readonly Fenced[]): Promise<Fenced[]>;
  /** Returns the keys of rows that may be sent now. All rows belong to this campaign. */
  markSending(deliveries: readonly Fenced[], campaignId: string): Promise<ReadonlySet<string>>;
  /** Notes that rows of the chunk are about to be rendered. Returns what others noted. */
  noteRendering(chunk: ChunkRef): Promise<RenderingNotes>;
  /** Takes the note back: they are rendered, or the failure was another one. */
  takeBackRendering(chunk: ChunkRef): Promise<void>;
  /** Makes the chunk due when its next row is due. */
  schedule(chunk: FinishedChunk): Promise<void>;
}

export type ChunkStatementsOptions = ClaimOptions & {
  readonly channel: Channel;
  readonly sendLeaseMs: number;
  /** Rows claimed at a time from a chunk of the express lane. */
  readonly expressRowsMax?: number;
  /** Replaces the default way to mark rows sending. */
  readonly mark?: MarkSending;
};

/**
 * Rows claimed at a time from an express chunk. Many chunks are processed at once, and their rows
 * must be sent before the leases end.
 */
const EXPRESS_ROWS_MAX = 20;

/** Maximum chunks per statement. */
const CHUNKS_MAX = 50;
/** Maximum rows marked by one statement; a larger group gets its own. */
const ROWS_MAX = 200;
/** Two, so that the client prepares one while Postgres runs the other. */
const RUNS_MAX = 2;
/** One per large campaign: slots are released meanwhile, so statements are fewer and larger. */
const BULK_MARKINGS_MAX = 1;
/**
 * Maximum large campaigns with their own batcher. Beyond it the least recently used batcher is
 * dropped.
 */
const CAMPAIGNS_MAX = 100;

/**
 * Express lane: a chunk is often one row, and the round trip costs more than the statement.
 * Concurrent requests share one statement; a single request does not wait.
 *
 * Bulk lane: chunks claim enough rows for a statement of their own and do not wait for each other.
 * Slots are released a few at a time, so rows of one campaign gather while its previous groups are
 * marked. Campaigns do not share statements there: canceling a campaign locks its chunks.
 */
export function createChunkStatements(
  db: Database,
  { sendLeaseMs, expressRowsMax = EXPRESS_ROWS_MAX, mark, ...claim }: ChunkStatementsOptions,
): Record<Lane, ChunkStatements> {
  const expressClaim = { ...claim, rowsMax: Math.min(claim.rowsMax, expressRowsMax) };
  // An item with invalid data must not fail the rest of its micro-batch.
  const together = {
    isOwnFault: (error: unknown) => dataErrorState(error) !== undefined,
    runsMax: RUNS_MAX,
  };
  const claims = createMicroBatcher({
    ...together,
    run: (chunks: readonly ChunkRef[]) => claimChunks(db, chunks, expressClaim),
    itemsMax: CHUNKS_MAX,
  });
  const createMarker = (runsMax: number) => {
    const markings = createMicroBatcher({
      ...together,
      runsMax,
      run: (groups: readonly (readonly Fenced[])[]) =>
        mark === undefined
          ? markGroupsSending(db, groups, sendLeaseMs)
          : markGroupsWith((all) => mark(db.sql, all), groups),
      itemsMax: CHUNKS_MAX,
      bytesMax: ROWS_MAX,
    });
    return (deliveries: readonly Fenced[]) => markings.add(deliveries, deliveries.length);
  };
  const markersOf = new LRUCache<string, ReturnType<typeof createMarker>>({
    max: CAMPAIGNS_MAX,
    memoMethod: () => createMarker(BULK_MARKINGS_MAX),
  });
  const schedules = createMicroBatcher<FinishedChunk, void>({
    ...together,
    async run(chunks) {
      await scheduleChunks(db, chunks, claim.channel);
      return chunks.map(() => undefined);
    },
    itemsMax: CHUNKS_MAX,
  });
  const notes = createMicroBatcher({
    ...together,
    run: (chunks: readonly ChunkRef[]) => noteRendering(db, chunks),
    itemsMax: CHUNKS_MAX,
  });
  const notesTakenBack = createMicroBatcher<ChunkRef, void>({
    ...together,
    async run(chunks) {
      await takeBackRendering(db, chunks);
      return chunks.map(() => undefined);
    },
    itemsMax: CHUNKS_MAX,
  });
  const rendering = {
    noteRendering: (chunk: ChunkRef) => notes.add(chunk),
    takeBackRendering: (chunk: ChunkRef) => notesTakenBack.add(chunk),
  };
  const ofRead = async (deliveries: readonly Fenced[]): Promise<Fenced[]> => {
    const isRead = ({ readUntil }: Fenced): boolean => readUntil !== undefined;
    const claimed = await claimRead(db, deliveries.filter(isRead), claim);
    return [...deliveries.filter((delivery) => !isRead(delivery)), ...claimed];
  };
  const claimBulk = async (chunk: ChunkRef): Promise<ClaimedRows> =>
    isReadBeforeMarking(claim.channel)
      ? readRows(db, chunk, claim)
      : claimedRows(await claimChunk(db, { ...chunk, ...claim }), claim);
  return {
    express: {
      ...rendering,
      claim: async (chunk) => claimedRows(await claims.add(chunk), expressClaim),
      claimRead: ofRead,
      markSending: createMarker(RUNS_MAX),
      schedule: (chunk) => schedules.add(chunk),
    },
    bulk: {
      ...rendering,
      claim: claimBulk,
      claimRead: ofRead,
      markSending: (deliveries, campaignId) =>
        mark === undefined ? markersOf.memo(campaignId)(deliveries) : mark(db.sql, deliveries),
      schedule: (chunk) => scheduleChunks(db, [chunk], claim.channel),
    },
  };
}

/**
 * In bulk, the record of a chunk is held while the chunk is sent, so rarely do two workers read the
 * same rows: they are not claimed, which saves one of three updates. Addresses of several devices
 * must be made by a claim, and the inbox takes claims.
 */
const isReadBeforeMarking = (channel: Channel): boolean =>
  !isDeviceChannel(channel) && !isInboxChannel(channel);

/** One row more says whether there are more; it is read again. */
async function readRows(
  db: Database,
  chunk: ChunkRef,
  { rowsMax, leaseMs }: ClaimOptions,
): Promise<ClaimedRows> {
  const rows = await readDueRows(db, { ...chunk, rowsMax: rowsMax + 1, leaseMs });
  return { deliveries: rows.slice(0, rowsMax), isFull: rows.length > rowsMax };
}

/** Each delivery is in one group only: its claim is exclusive. */
async function markGroupsWith(
  mark: (all: readonly Fenced[]) => Promise<ReadonlySet<string>>,
  groups: readonly (readonly Fenced[])[],
): Promise<ReadonlySet<string>[]> {
  const marked = await mark(groups.flat());
  return groups.map(
    (group) =>
      new Set(
        group
          .filter(({ deliveryId }) => marked.has(deliveryId))
          .map(({ deliveryId }) => deliveryId),
      ),
  );
}

const claimedRows = (
  deliveries: readonly ClaimedDelivery[],
  { rowsMax }: ClaimOptions,
): ClaimedRows => ({
  deliveries,
  isFull: deliveries.length >= rowsMax,
});

export type ChunkToSend = ChunkRef & {
  /** Position of the dispatch record. */
  readonly readFrom?: RecordPosition;
  /**
   * Called when the chunk claims no more rows soon: none are left, rows were released, wait for a
   * slot, or are rendered for long.
   */
  readonly onAllClaimed?: () => void;
};

export type DueRowsDependencies = { readonly statements: Record<Lane, ChunkStatements> };

/**
 * Processes claimed rows. Returns false if some were released, so that the rest of the chunk must
 * wait. Calls `onHeldUp` as soon as rows are released, wait long for a slot or are rendered for long;
 * other sends may still be in flight.
 */
export type HandleClaimed = (
  claimed: readonly ClaimedDelivery[],
  onHeldUp: () => void,
) => Promise<boolean>;

/** Claims a chunk's due rows in steps, then makes the chunk due when its next row is. */
export async function processDueRows(
  { statements }: DueRowsDependencies,
  {
    campaign,
    chunkToSend: { readFrom, onAllClaimed, ...chunk },
    handle,
  }: {
    readonly campaign: CampaignToSend;
    readonly chunkToSend: ChunkToSend;
    readonly handle: HandleClaimed;
  },
  signal: AbortSignal,
): Promise<void> {
  const { claim, schedule } = statements[campaign.lane];
  try {
    for (;;) {
      signal.throwIfAborted();
      const { deliveries: claimed, isFull } = await claim(chunk);
      if (!isFull) onAllClaimed?.();
      if (claimed.length === 0 || !(await handle(claimed, () => onAllClaimed?.())) || !isFull)
        return;
    }
  } finally {
    // Remaining rows wait for their time or another worker's lease; then the chunk is dispatched
    // again. Needed after an abort too: another worker may have read the record during our last
    // sends and found nothing to do.
    await schedule({
      ...chunk,
      ...(!signal.aborted && readFrom !== undefined && { read: readFrom }),
    });
  }
}
