import { keepSentCounts } from '@tidings/automations/counters';
import { purgeDecisions } from '@tidings/decisions/decide';
import {
  beginRecipientPurge,
  deleteRecipientRows,
  purgeCampaigns,
} from '@tidings/delivery/campaign-retention';
import { ConfigError, Counter } from '@tidings/platform';
import type { SchedulerConfig } from '../config.ts';
import type { Job } from '../job.ts';

const deletedTotal = new Counter({
  name: 'tidings_campaigns_deleted_total',
  help: 'Campaigns deleted after their retention: only their recipients, or the whole campaign with its report.',
  labelNames: ['what'] as const,
});
const rowsDeletedTotal = new Counter({
  name: 'tidings_campaign_rows_deleted_total',
  help: 'Rows of recipients, attempts and events deleted after the retention of their campaign.',
});

const CAMPAIGNS_PER_STEP = 500;

type Retention = Pick<SchedulerConfig, 'deliveryRetentionDays' | 'campaignRetentionDays'>;

/**
 * Deletes the deliveries of campaigns that are past their retention, later also the report.
 * @throws ConfigError when reports would be deleted before their deliveries
 */
export function oldCampaigns({ deliveryRetentionDays, campaignRetentionDays }: Retention): Job {
  if (campaignRetentionDays < deliveryRetentionDays)
    throw new ConfigError([
      'CAMPAIGN_RETENTION_DAYS must not be less than DELIVERY_RETENTION_DAYS',
    ]);
  return {
    name: 'old-campaigns',
    intervalMs: 10_000,
    // Rows of recipients; campaigns use smaller steps.
    bound: { itemsPerStep: 2_000, stepsMax: 200 },
    replicaMode: 'skip-locked',
    async run({ db, inSteps }) {
      const limit = CAMPAIGNS_PER_STEP;
      await inSteps(async () => {
        const { begun, hasMore } = await beginRecipientPurge(db, {
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
        const deleted = await purgeCampaigns(
          db,
          { days: campaignRetentionDays, limit },
          keepSentCounts,
        );
        deletedTotal.inc({ what: 'campaigns' }, deleted);
        if (deleted > 0) await purgeDecisions(db);
        return deleted === limit;
      });
    },
  };
}
