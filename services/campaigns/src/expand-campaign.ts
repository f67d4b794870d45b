import { expandNextChunks, expandSmallCampaigns, startCampaign, type Database } from '@tidings/db';
import type { Logger } from '@tidings/platform';
import type { ChunkAnnouncer } from './announce-chunks.ts';

export type ExpansionDependencies = { readonly db: Database; readonly announcer: ChunkAnnouncer; readonly logger: Logger };

/**
 * Turns a campaign's recipients into deliveries, chunk by chunk, and announces each chunk. Any number of processes may
 * do this for one campaign, and start again at any point: a chunk is expanded once.
 */
export async function expandCampaign(
  { db, announcer, logger }: ExpansionDependencies,
  campaignId: string,
  { signal, onStep }: { readonly signal: AbortSignal; readonly onStep: () => Promise<void> },
): Promise<void> {
  if (!(await startCampaign(db, campaignId))) return;
  let announced = 0;
  for (;;) {
    signal.throwIfAborted();
    const chunks = await expandNextChunks(db, campaignId);
    if (chunks === null) break;
    await announcer.announce(chunks, 'expansion');
    announced += chunks.length;
    await onStep();
  }
  logger.info({ campaignId, chunks: announced }, 'campaign expanded');
}

/** As many small campaigns as share a transaction. */
const SMALL_PER_STEP = 100;

/**
 * Expands campaigns of one chunk together, and announces their chunks together. Returns the ids that are left: larger
 * campaigns, and those that are none any more or that another process is at.
 */
export async function expandTogether({ db, announcer }: ExpansionDependencies, campaignIds: readonly string[], signal: AbortSignal): Promise<string[]> {
  const left: string[] = [];
  for (let start = 0; start < campaignIds.length; start += SMALL_PER_STEP) {
    signal.throwIfAborted();
    const ids = campaignIds.slice(start, start + SMALL_PER_STEP);
    const { chunks, done } = await expandSmallCampaigns(db, ids);
    await announcer.announce(chunks, 'expansion');
    left.push(...ids.filter((id) => !done.has(id)));
  }
  return left;
}
