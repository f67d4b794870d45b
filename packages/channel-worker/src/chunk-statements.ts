import type { Channel, ChunkRef, Lane } from '@tidings/contracts';
import type { MarkSending } from '@tidings/delivery/mark-sending-within-caps';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { scheduleChunks, type FinishedChunk, type RecordPosition } from '@tidings/delivery/chunks';
import {
  markGroupsSending,
  claimChunk,
  claimChunks,
  type Claim,
  type ClaimedDelivery,
  type Fenced,
} from '@tidings/delivery/claims';
import { createMicroBatcher } from '@tidings/platform';
import { dataErrorState, type Database } from '@tidings/postgres/database';
import { LRUCache } from 'lru-cache';

export type ClaimedRows = {
  readonly deliveries: readonly ClaimedDelivery[];
  /** There may be more that are due. */
  readonly isFull: boolean;
};

/** The statements on the way of a chunk that is sent. */
export interface ChunkStatements {
  /** Some of its due rows, now in our hands. */
  claim(chunk: ChunkRef): Promise<ClaimedRows>;
  /** The keys of those that may be sent now; all are of this campaign. */
  markSending(deliveries: readonly Fenced[], campaignId: string): Promise<ReadonlySet<string>>;
  /** It is looked at again when its next row is due. */
  schedule(chunk: FinishedChunk): Promise<void>;
}

export type ChunkStatementsOptions = Claim & {
  readonly channel: Channel;
  readonly sendLeaseMs: number;
  /** Of a chunk of the express lane at a time. */
  readonly expressRowsMax?: number;
  /** How deliveries are armed, if not to be sent. */
  readonly arm?: MarkSending;
};

/** Of a chunk of the express lane: many chunks are in hand, and what they hold is to be sent before its lease ends. */
const EXPRESS_ROWS_MAX = 20;

/** Chunks that share a statement. */
const CHUNKS_MAX = 50;
/** Rows that are armed by one statement; a larger group goes alone. */
const ROWS_MAX = 200;
/** Two, so that one is prepared while Postgres does the other. */
const RUNS_MAX = 2;
/** Of a large campaign one: more slots come back meanwhile, so that statements are fewer and larger. */
const BULK_MARKINGS_MAX = 1;
/** Large campaigns at work whose groups gather; of one more those of another begin anew. */
const CAMPAIGNS_MAX = 100;

/**
 * In the express lane a chunk is often one row, and what Postgres does for it costs less than asking for it: what chunks
 * ask for at the same time, they ask for in one statement. One that comes alone waits for nobody. Chunks of bulk claim as
 * many rows as a statement should have, and nobody is to wait for theirs; but slots come back a few at a time, so what
 * is to be armed of a campaign gathers while others of it are armed. Campaigns do not wait for each other there: one that
 * is being canceled has its chunks locked for as long as that takes.
 */
export function createChunkStatements(
  db: Database,
  { sendLeaseMs, expressRowsMax = EXPRESS_ROWS_MAX, arm, ...claim }: ChunkStatementsOptions,
): Record<Lane, ChunkStatements> {
  const expressClaim = { ...claim, rowsMax: Math.min(claim.rowsMax, expressRowsMax) };
  // What Postgres refuses for its content must not keep the others waiting.
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
        arm === undefined
          ? markGroupsSending(db, groups, sendLeaseMs)
          : markGroupsWith((all) => arm(db.sql, all), groups),
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
  return {
    express: {
      claim: async (chunk) => claimedRows(await claims.add(chunk), expressClaim),
      markSending: createMarker(RUNS_MAX),
      schedule: (chunk) => schedules.add(chunk),
    },
    bulk: {
      claim: async (chunk) => claimedRows(await claimChunk(db, { ...chunk, ...claim }), claim),
      markSending: (deliveries, campaignId) =>
        arm === undefined ? markersOf.memo(campaignId)(deliveries) : arm(db.sql, deliveries),
      schedule: (chunk) => scheduleChunks(db, [chunk], claim.channel),
    },
  };
}

/** A delivery is in one group only: who has claimed it has it alone. */
async function markGroupsWith(
  arm: (all: readonly Fenced[]) => Promise<ReadonlySet<string>>,
  groups: readonly (readonly Fenced[])[],
): Promise<ReadonlySet<string>[]> {
  const armed = await arm(groups.flat());
  return groups.map(
    (group) =>
      new Set(
        group.filter(({ deliveryId }) => armed.has(deliveryId)).map(({ deliveryId }) => deliveryId),
      ),
  );
}

const claimedRows = (deliveries: readonly ClaimedDelivery[], { rowsMax }: Claim): ClaimedRows => ({
  deliveries,
  isFull: deliveries.length >= rowsMax,
});

export type DispatchedChunk = ChunkRef & {
  /** Where the pointer stands. */
  readonly readFrom?: RecordPosition;
  /** Called when no more of the chunk is claimed soon: nothing is left, rows were given back, or rows wait for a slot. */
  readonly onAllClaimed?: () => void;
};

export type DueRowsDependencies = { readonly statements: Record<Lane, ChunkStatements> };

/**
 * Works on rows in our hands; false when some were given back, so that the rest of the chunk has to wait, too. It calls
 * `onHeldUp` as soon as they are, while sends of others may still be under way, and when rows have to wait long for a
 * slot.
 */
export type HandleClaimed = (
  claimed: readonly ClaimedDelivery[],
  onHeldUp: () => void,
) => Promise<boolean>;

/** Claims what is due of a chunk, some rows at a time, and sees to it that it is looked at again when its next row is due. */
export async function processDueRows(
  { statements }: DueRowsDependencies,
  {
    campaign,
    placed: { readFrom, onAllClaimed, ...pointer },
    handle,
  }: {
    readonly campaign: CampaignToSend;
    readonly placed: DispatchedChunk;
    readonly handle: HandleClaimed;
  },
  signal: AbortSignal,
): Promise<void> {
  const { claim, schedule } = statements[campaign.lane];
  try {
    for (;;) {
      signal.throwIfAborted();
      const { deliveries: claimed, isFull } = await claim(pointer);
      if (!isFull) onAllClaimed?.();
      if (claimed.length === 0 || !(await handle(claimed, () => onAllClaimed?.())) || !isFull)
        return;
    }
  } finally {
    // What is left waits for its time or for another worker's lease; then the chunk is announced again. Also after an
    // abort: another worker may have read the pointer while our last sends were under way, and found nothing to do.
    await schedule({
      ...pointer,
      ...(!signal.aborted && readFrom !== undefined && { read: readFrom }),
    });
  }
}
