import { carryOutActions, type ChunkPosition } from '@tidings/delivery/chunk-actions';
import type { Database } from '@tidings/postgres/database';

/**
 * Goes once over all chunks that an action on their campaign has yet to change, a few at a time. What is in flight is
 * looked at again by the next pass. Any number of processes may do so at once.
 */
export async function carryOutAllActions(db: Database, signal: AbortSignal): Promise<void> {
  let position: ChunkPosition | null = null;
  do position = await carryOutActions(db, position);
  while (position !== null && !signal.aborted);
}
