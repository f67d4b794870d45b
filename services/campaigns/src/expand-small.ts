import { expandSmallCampaigns } from '@tidings/delivery/expand';
import type { Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { ChunkDispatcher } from './dispatch-chunks.ts';

export type ExpansionDependencies = {
  readonly db: Database;
  readonly dispatcher: ChunkDispatcher;
  readonly logger: Logger;
};

/** As many small campaigns as share a transaction. */
const SMALL_PER_STEP = 100;

/**
 * Turns the recipients of small campaigns into deliveries, many campaigns in a transaction and the smallest first, and
 * announces their chunks together. Any number of processes may do this, and start again at any point: a campaign is
 * expanded once. What is large among them is left to `expandBulk`; what another process holds, to that one.
 */
export async function expandSmall(
  { db, dispatcher }: ExpansionDependencies,
  campaignIds: readonly string[],
  {
    signal,
    onStep,
    onOthers,
  }: {
    readonly signal: AbortSignal;
    readonly onStep?: () => Promise<void>;
    /** Some are left. */ readonly onOthers?: () => void;
  },
): Promise<void> {
  for (let start = 0; start < campaignIds.length; start += SMALL_PER_STEP) {
    let left = campaignIds.slice(start, start + SMALL_PER_STEP);
    while (left.length > 0) {
      signal.throwIfAborted();
      const { chunks, done } = await expandSmallCampaigns(db, left);
      await dispatcher.dispatch(chunks, 'expansion');
      await onStep?.();
      if (done.size === 0) {
        onOthers?.();
        break;
      }
      left = left.filter((id) => !done.has(id));
    }
  }
}
