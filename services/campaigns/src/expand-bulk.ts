import { bulkCampaignsToExpand } from '@tidings/delivery/bulk';
import type { DueChunk } from '@tidings/delivery/chunks';
import { expandNextChunks, startCampaign } from '@tidings/delivery/expand';
import type { ExpansionDependencies } from './expand-small.ts';

export type BulkExpansionDependencies = Pick<ExpansionDependencies, 'db' | 'keyedDb' | 'logger'> & {
  /** Called with new chunks that wait for dispatch. */
  readonly onChunks?: (chunks: readonly DueChunk[]) => void;
};

/**
 * Expands large campaigns in steps, round-robin by application, until none is left. So no
 * application waits for another's whole campaign. Needs no bus: the bulk dispatcher dispatches the
 * chunks. Safe to run concurrently and to restart: each chunk is expanded once, and the table says
 * which remain.
 */
export async function expandBulk(
  { db, keyedDb, logger, onChunks }: BulkExpansionDependencies,
  signal: AbortSignal,
): Promise<void> {
  // Skip failed campaigns in this pass; the next pass retries them.
  const failed = new Set<string>();
  for (let hasMore = true; hasMore;) {
    hasMore = false;
    for (const campaignId of await bulkCampaignsToExpand(keyedDb, [...failed])) {
      if (signal.aborted) return;
      try {
        const chunks = (await startCampaign(db, campaignId))
          ? await expandNextChunks(db, campaignId)
          : null;
        // Nothing is left, or another process holds the rest.
        if (chunks === null) continue;
        hasMore = true;
        onChunks?.(chunks);
      } catch (error) {
        failed.add(campaignId);
        hasMore = true;
        logger.error({ err: error, campaignId }, 'campaign could not be expanded');
      }
    }
  }
}
