import {
  beginToForgetRecipients,
  deleteRecipientRows,
  forgetCampaigns,
} from '@tidings/delivery/campaign-retention';
import { ConfigError, Counter } from '@tidings/platform';
import type { SchedulerConfig } from '../config.ts';
import type { Job } from '../job.ts';

const deletedTotal = new Counter({
  name: 'tidings_campaigns_deleted_total',
  help: 'Campaigns whose recipients were forgotten since they are past their retention, and campaigns that went with their reports.',
  labelNames: ['what'] as const,
});
const rowsDeletedTotal = new Counter({
  name: 'tidings_campaign_rows_deleted_total',
  help: 'Rows of recipients, attempts and events deleted since their campaign is past its retention.',
});

const CAMPAIGNS_PER_STEP = 500;

type Retention = Pick<SchedulerConfig, 'deliveryRetentionDays' | 'campaignRetentionDays'>;

/**
 * Deletes what became of each recipient of campaigns that are past their retention, later the report itself.
 * @throws ConfigError where reports would go before what they report
 */
export function oldCampaigns({ deliveryRetentionDays, campaignRetentionDays }: Retention): Job {
  if (campaignRetentionDays < deliveryRetentionDays)
    throw new ConfigError([
      'CAMPAIGN_RETENTION_DAYS must not be less than DELIVERY_RETENTION_DAYS',
    ]);
  return {
    name: 'old-campaigns',
    intervalMs: 10_000,
    // Rows of recipients; of campaigns a step takes fewer.
    bound: { itemsPerStep: 2_000, stepsMax: 200 },
    replicaMode: 'shares',
    async run({ db, inSteps }) {
      const limit = CAMPAIGNS_PER_STEP;
      await inSteps(async () => {
        const { begun, hasMore } = await beginToForgetRecipients(db, {
          days: deliveryRetentionDays,
          limit,
        });
        deletedTotal.inc({ what: 'recipients' }, begun);
        return hasMore;
      });
      await inSteps(async (rows) => {
        const { deleted, hasMore } = await deleteRecipientRows(db, rows);
        rowsDeletedTotal.inc(deleted);
        return hasMore;
      });
      await inSteps(async () => {
        const gone = await forgetCampaigns(db, { days: campaignRetentionDays, limit });
        deletedTotal.inc({ what: 'campaigns' }, gone);
        return gone === limit;
      });
    },
  };
}
