import { bulkCampaignsToExpand } from '@tidings/delivery/bulk';
import type { DueChunk } from '@tidings/delivery/chunks';
import { expandNextChunks, startCampaign } from '@tidings/delivery/expand';
import type { ExpansionDependencies } from './expand-small.ts';

export type BulkExpansionDependencies = Pick<ExpansionDependencies, 'db' | 'logger'> & {
  /** Told of chunks that wait to be announced. */
  readonly onChunks?: (chunks: readonly DueChunk[]) => void;
};

/**
 * Expands large campaigns in bites, one of each application in turn, until none is left: nobody waits for the whole of
 * another's. Needs no bus: `feedBulk` announces the chunks. Any number of processes may do this, and start again at any
 * point: a chunk is expanded once, and which are left stands in the table.
 */
export async function expandBulk(
  { db, logger, onChunks }: BulkExpansionDependencies,
  signal: AbortSignal,
): Promise<void> {
  // They keep nobody else of their application waiting, and are tried again the next time.
  const failed = new Set<string>();
  for (let hasMore = true; hasMore;) {
    hasMore = false;
    for (const campaignId of await bulkCampaignsToExpand(db, [...failed])) {
      if (signal.aborted) return;
      try {
        const chunks = (await startCampaign(db, campaignId))
          ? await expandNextChunks(db, campaignId)
          : null;
        // Nothing left, or what is left is in the hands of another process.
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
