import { expandSmallCampaigns } from '@tidings/delivery/expand';
import type { Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { ChunkDispatcher } from '@tidings/chunk-dispatch/dispatch-chunks';

export type ExpansionDependencies = {
  readonly db: Database;
  /** Plans by keys, for the prepared statements that find work. */
  readonly keyedDb: Database;
  readonly dispatcher: ChunkDispatcher;
  readonly logger: Logger;
};

/** Maximum small campaigns per transaction. */
const SMALL_PER_STEP = 100;

/**
 * Expands small campaigns into deliveries, many per transaction and the smallest first, and
 * dispatches their chunks together. Safe to run concurrently and to restart: each campaign is
 * expanded once. Large campaigns are left to `expandBulk`; campaigns that another process holds are
 * skipped.
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
    /** Called if some campaigns were not expanded. */ readonly onOthers?: () => void;
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
