import {
  beginToForgetRecipients,
  deleteRecipientRows,
  forgetCampaigns,
} from '@tidings/delivery/campaign-retention';
import { ConfigError, Counter } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { CampaignsConfig } from './config.ts';

const forgottenTotal = new Counter({
  name: 'tidings_campaigns_forgotten_total',
  help: 'Campaigns whose recipients were forgotten since they are past their retention, and campaigns that went with their reports.',
  labelNames: ['what'] as const,
});
const rowsDeletedTotal = new Counter({
  name: 'tidings_campaign_rows_deleted_total',
  help: 'Rows of recipients, attempts and events deleted since their campaign is past its retention.',
});

const CAMPAIGNS_PER_STEP = 500;
const ROWS_PER_STEP = 2_000;
/** A pass ends in any case: what is left has time until the next one. */
const STEPS_MAX = 200;

type Retention = Pick<CampaignsConfig, 'deliveryRetentionDays' | 'campaignRetentionDays'>;

/** @throws ConfigError where reports would go before what they report */
export function assertRetention({ deliveryRetentionDays, campaignRetentionDays }: Retention): void {
  if (campaignRetentionDays < deliveryRetentionDays)
    throw new ConfigError([
      'CAMPAIGN_RETENTION_DAYS must not be less than DELIVERY_RETENTION_DAYS',
    ]);
}

/**
 * One pass over campaigns that are past their retention: recipients with what became of each, later the report itself. In short
 * steps, each a transaction of its own, so that nobody waits for it; any number of processes may do so at once.
 */
export async function forgetOldCampaigns(
  db: Database,
  { deliveryRetentionDays, campaignRetentionDays }: Retention,
  signal: AbortSignal,
): Promise<void> {
  await inSteps(async () => {
    const { begun, hasMore } = await beginToForgetRecipients(db, {
      days: deliveryRetentionDays,
      limit: CAMPAIGNS_PER_STEP,
    });
    forgottenTotal.inc({ what: 'recipients' }, begun);
    return hasMore;
  }, signal);
  await inSteps(async () => {
    const { deleted, hasMore } = await deleteRecipientRows(db, ROWS_PER_STEP);
    rowsDeletedTotal.inc(deleted);
    return hasMore;
  }, signal);
  await inSteps(async () => {
    const gone = await forgetCampaigns(db, {
      days: campaignRetentionDays,
      limit: CAMPAIGNS_PER_STEP,
    });
    forgottenTotal.inc({ what: 'campaigns' }, gone);
    return gone === CAMPAIGNS_PER_STEP;
  }, signal);
}

async function inSteps(step: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  for (let steps = 0; steps < STEPS_MAX && !signal.aborted; steps += 1) {
    if (!(await step())) return;
  }
}
