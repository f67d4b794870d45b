import type { ChunkPointer, Lane } from '@tidings/contracts';
import { armDeliveries, armGroups, claimChunk, claimChunks, scheduleChunks, type Claim, type ClaimedDelivery, type ChunkDoneWith, type Database, type Fenced } from '@tidings/db';
import { createMicroBatcher } from '@tidings/platform';

/** The statements on the way of a chunk that is sent. */
export interface ChunkStatements {
  /** Its due rows, now in our hands. */
  claim(chunk: ChunkPointer): Promise<readonly ClaimedDelivery[]>;
  /** Those that may be sent now. */
  arm(deliveries: readonly Fenced[]): Promise<ReadonlySet<string>>;
  /** It is looked at again when its next row is due. */
  schedule(chunk: ChunkDoneWith): Promise<void>;
}

export type ChunkStatementsOptions = Claim & { readonly sendLeaseMs: number };

/** Chunks that share a statement. */
const CHUNKS_MAX = 50;
/** Rows that are armed by one statement; a larger group goes alone. */
const ROWS_MAX = 200;
/** Two, so that one is prepared while Postgres does the other. */
const RUNS_MAX = 2;

/**
 * In the express lane a chunk is often one row, and what Postgres does for it costs less than asking for it: what chunks
 * ask for at the same time, they ask for in one statement. One that comes alone waits for nobody. Chunks of bulk are as
 * many rows as a statement should have, and nobody is to wait for theirs.
 */
export function createChunkStatements(db: Database, { sendLeaseMs, ...claim }: ChunkStatementsOptions): Record<Lane, ChunkStatements> {
  const together = { isOwnFault: () => false, runsMax: RUNS_MAX };
  const claims = createMicroBatcher({ ...together, run: (chunks: readonly ChunkPointer[]) => claimChunks(db, chunks, claim), itemsMax: CHUNKS_MAX });
  const armings = createMicroBatcher({
    ...together,
    run: (groups: readonly (readonly Fenced[])[]) => armGroups(db, groups, sendLeaseMs),
    itemsMax: CHUNKS_MAX,
    bytesMax: ROWS_MAX,
  });
  const schedules = createMicroBatcher<ChunkDoneWith, void>({
    ...together,
    async run(chunks) {
      await scheduleChunks(db, chunks);
      return chunks.map(() => undefined);
    },
    itemsMax: CHUNKS_MAX,
  });
  return {
    express: {
      claim: (chunk) => claims.add(chunk),
      arm: (deliveries) => armings.add(deliveries, deliveries.length),
      schedule: (chunk) => schedules.add(chunk),
    },
    bulk: {
      claim: (chunk) => claimChunk(db, { ...chunk, ...claim }),
      arm: (deliveries) => armDeliveries(db, deliveries, sendLeaseMs),
      schedule: (chunk) => scheduleChunks(db, [chunk]),
    },
  };
}
