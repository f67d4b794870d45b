import type { NewCampaign } from '@tidings/delivery/accept';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import type { Database } from '@tidings/postgres/database';

/** How many deliveries of a campaign, of 500 at most, are in each state. */
export async function countByState(
  db: Database,
  { campaignId }: Pick<NewCampaign, 'campaignId'>,
): Promise<Record<string, number>> {
  const states: Record<string, number> = {};
  for (const { status } of await listDeliveries(db, campaignId, { limit: 500 }))
    states[status] = (states[status] ?? 0) + 1;
  return states;
}
