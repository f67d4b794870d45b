import { carryOutActions, type ChunkPosition } from '@tidings/delivery/chunk-actions';
import type { Database } from '@tidings/postgres/database';

/**
 * Makes one pass over all chunks with a pending campaign action, a few at a time. The next pass
 * handles rows in flight. Several processes may do this concurrently.
 */
export async function carryOutAllActions(db: Database, signal: AbortSignal): Promise<void> {
  let position: ChunkPosition | null = null;
  do position = await carryOutActions(db, position);
  while (position !== null && !signal.aborted);
}
