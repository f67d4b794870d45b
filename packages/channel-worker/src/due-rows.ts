import type { ChunkPointer, Lane } from '@tidings/contracts';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import type { PointerPosition } from '@tidings/delivery/chunks';
import type { ClaimedDelivery } from '@tidings/delivery/claims';
import type { ChunkStatements } from './chunk-statements.ts';

export type PlacedPointer = ChunkPointer & {
  /** Where the pointer stands. */
  readonly readFrom?: PointerPosition;
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
export async function forDueRows(
  { statements }: DueRowsDependencies,
  {
    campaign,
    placed: { readFrom, onAllClaimed, ...pointer },
    handle,
  }: {
    readonly campaign: CampaignToSend;
    readonly placed: PlacedPointer;
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
