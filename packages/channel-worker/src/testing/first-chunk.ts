import type { NewCampaign } from '@tidings/delivery/accept';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { countByState } from './count-by-state.ts';
import type { Database } from '@tidings/postgres/database';

export const unending = new AbortController().signal;

export const chunkOf = ({ campaignId, templates = null }: NewCampaign) => ({
  campaignId,
  chunkNo: templates === null ? 0 : -1,
});

/** Helpers for tests that send a campaign of one chunk. */
export function chunkHelpers(db: Database) {
  const deliveries = ({ campaignId }: NewCampaign) =>
    listDeliveries(db, campaignId, { limit: 500 });

  const statesOf = (campaign: NewCampaign) => countByState(db, campaign);

  return { deliveries, statesOf };
}
