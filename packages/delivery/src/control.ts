import type { CampaignAction, CampaignStatus } from '@tidings/contracts/push/campaigns';
import type { Database, Sql } from '@tidings/postgres/database';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';
import { beginAction, hasRetryableFailures } from './chunk-actions.ts';
import { wakeCampaign } from './chunks.ts';
import { isLegal } from './transitions.ts';

const statement = statementsIn(import.meta.dirname);

export type ControlInput = {
  readonly applicationId: string;
  readonly campaignId: string;
  readonly action: CampaignAction;
  /** Who requested it, for the event log. */
  readonly actor: string;
};

/**
 * Why an action is rejected: wrong status, nothing to retry, channel not ready, recipients deleted, or
 * open: an automation would append to the next one while it is paused.
 */
export type ControlOutcome =
  | {
      readonly outcome:
        | 'done'
        | 'not_found'
        | 'nothing_to_retry'
        | 'channel_not_ready'
        | 'recipients_forgotten'
        | 'is_open';
    }
  | { readonly outcome: 'illegal'; readonly status: CampaignStatus };

/**
 * Pauses, resumes, cancels or retries a campaign. Actions are serialized by the campaign's row
 * lock. From the commit on, rows are no longer marked sending if the new status forbids it.
 * @callers api
 */
export function controlCampaign(db: Database, input: ControlInput): Promise<ControlOutcome> {
  return retryConflicts(() => db.transaction((sql) => control(sql, input)));
}

async function control(
  sql: Sql,
  { applicationId, campaignId, action, actor }: ControlInput,
): Promise<ControlOutcome> {
  const { rows } = await sql.query<{
    status: CampaignStatus;
    is_ready: boolean;
    is_forgotten: boolean;
    is_open: boolean;
  }>(statement('lock-campaign-to-control'), [campaignId, applicationId]);
  const [campaign] = rows;
  if (campaign === undefined) return { outcome: 'not_found' };
  if (!isLegal(action, campaign.status)) return { outcome: 'illegal', status: campaign.status };
  if (action === 'pause' && campaign.is_open) return { outcome: 'is_open' };
  if (action === 'retry-failed') {
    if (campaign.is_forgotten) return { outcome: 'recipients_forgotten' };
    if (!campaign.is_ready) return { outcome: 'channel_not_ready' };
    if (!(await hasRetryableFailures(sql, campaignId))) return { outcome: 'nothing_to_retry' };
  }
  await sql.query(MOVE[action], [campaignId, actor]);
  if (action === 'resume') await wakeCampaign(sql, campaignId);
  if (action === 'cancel' || action === 'retry-failed') await beginAction(sql, campaignId, action);
  return { outcome: 'done' };
}

/** Retried deliveries get the original time to live again, from now. */
const MOVE: Readonly<Record<CampaignAction, string>> = {
  pause: statement('pause-campaign'),
  resume: statement('resume-campaign'),
  cancel: statement('cancel-campaign'),
  'retry-failed': statement('retry-campaign'),
};
