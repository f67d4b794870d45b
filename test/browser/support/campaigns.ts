import type { BounceCounts } from '@tidings/contracts/push/bounces';
import { computeCampaignResult } from '@tidings/contracts/push/campaign-result';
import type {
  CampaignCounts,
  CampaignRecord,
  FailureCounts,
} from '@tidings/contracts/push/campaigns';

export const CAMPAIGN_ID = '01a1fda0-84a5-72c8-802b-8cdeabd134bc';
const AT = 1_795_256_516_534;

const NO_COUNTS: CampaignCounts = {
  total: 0,
  pending: 0,
  waiting: 0,
  sent: 0,
  delivered: 0,
  displayed: 0,
  opened: 0,
  clicked: 0,
  successful: 0,
  failed: 0,
  unknown: 0,
  expired: 0,
  canceled: 0,
  unsubscribed: 0,
  complained: 0,
  machineOpened: 0,
  machineClicked: 0,
};

type Given = Partial<
  Pick<CampaignRecord, 'campaignId' | 'channel' | 'source' | 'status' | 'failureReason' | 'message'>
> & {
  readonly counts: Partial<CampaignCounts>;
  readonly failures?: FailureCounts;
  readonly bounces?: BounceCounts;
};

/** A campaign as the API returns it. The result is computed from the counts. */
export function buildCampaign({
  campaignId = CAMPAIGN_ID,
  channel = 'EMAIL',
  source = 'api',
  status = 'completed',
  failureReason = null,
  message = { title: 'Hello', body: 'Hello' },
  failures = {},
  bounces = {},
  ...given
}: Given): CampaignRecord {
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  const {
    successful = 0,
    unknown = 0,
    waiting = 0,
    pending = 0,
    expired = 0,
    canceled = 0,
  } = given.counts;
  const total = successful + failed + unknown + waiting + pending + expired + canceled;
  const counts = { ...NO_COUNTS, sent: successful, failed, total, ...given.counts };
  return {
    campaignId,
    name: null,
    tags: [],
    channel,
    purpose: 'transactional',
    source,
    automation: null,
    status,
    failureReason,
    message,
    templates: null,
    winner: null,
    recipients: { requested: total, unique: total },
    audience: null,
    schedule: null,
    recipientsDeletedAt: null,
    counts,
    result: computeCampaignResult(status, counts, failures),
    failures,
    bounces,
    timing: {
      createdAt: AT,
      startedAt: AT,
      firstSentAt: AT,
      lastSentAt: AT,
      completedAt: AT,
      durationMs: 0,
      p50Ms: 1,
      p95Ms: 1,
    },
    createdBy: 'key:Back end',
    requestId: CAMPAIGN_ID,
  };
}
