import type { Channel } from '@tidings/contracts/channels/channels';
import { countAttempts, decideVerdict } from '@tidings/contracts/push/campaign-result';
import type { CampaignStatus } from '@tidings/contracts/push/campaigns';
import type { WebhookDisabledReason } from '@tidings/contracts/webhooks';
import type { Sql } from '@tidings/postgres/database';
import { firstIdSince } from '@tidings/postgres/first-id-since';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Maximum problems listed per kind. Dead letters are counted up to a limit. */
const NAMED_MAX = 10;
const DEAD_LETTERS_COUNTED_MAX = 1_000;
/** Maximum campaigns and rejected requests scanned, from the newest. */
const CAMPAIGNS_SCANNED_MAX = 500;
const REJECTIONS_SCANNED_MAX = 1_000;
/**
 * A campaign is failing when at least this share, and at least this number, of its attempts failed.
 */
const FAILING_SHARE = 0.2;
const FAILED_MIN = 3;

type ApplicationFilter = { readonly applicationId: string };
type RecentFilter = ApplicationFilter & { readonly since: number };

/** Counts waiting dead letters; `hasMore` when there are more than were counted. */
export async function countWaitingDeadLetters(
  sql: Sql,
  { applicationId }: ApplicationFilter,
): Promise<{ readonly count: number; readonly hasMore: boolean; readonly since: number | null }> {
  const { rows } = await sql.query<{ n: number; since: Date | null }>(
    statement('count-waiting-dead-letters'),
    [applicationId, DEAD_LETTERS_COUNTED_MAX + 1],
  );
  const [{ n, since } = { n: 0, since: null }] = rows;
  return {
    count: Math.min(n, DEAD_LETTERS_COUNTED_MAX),
    hasMore: n > DEAD_LETTERS_COUNTED_MAX,
    since: since?.getTime() ?? null,
  };
}

export type FailingWebhook = {
  readonly webhookId: string;
  readonly url: string;
  readonly disabledReason: WebhookDisabledReason | null;
  readonly since: number | null;
};

/**
 * Endpoints that fail, or were disabled because of their responses. Endpoints disabled by hand are
 * excluded.
 */
export async function listFailingWebhooks(
  sql: Sql,
  { applicationId }: ApplicationFilter,
): Promise<FailingWebhook[]> {
  const { rows } = await sql.query<{
    id: string;
    url: string;
    disabled_reason: WebhookDisabledReason | null;
    since: Date | null;
  }>(statement('list-failing-webhooks'), [applicationId]);
  return rows.map((row) => ({
    webhookId: row.id,
    url: row.url,
    disabledReason: row.disabled_reason,
    since: row.since?.getTime() ?? null,
  }));
}

/**
 * `failed`: a system error stopped it. `no_one_reached`, `all_failed`: the verdict of a completed
 * one. `failures`: many attempts failed. The numbers `failed` and `total` are failed attempts of
 * all attempts; for the first two causes, recipients without success of all recipients.
 */
export type FailingCampaign = {
  readonly campaignId: string;
  readonly channel: Channel;
  readonly createdAt: number;
  readonly cause: 'failed' | 'no_one_reached' | 'all_failed' | 'failures';
  readonly failed: number;
  readonly total: number;
};

type FailedRow = {
  readonly id: string;
  readonly channel: Channel;
  readonly created_at: Date;
  readonly status: CampaignStatus;
  readonly recipients: number;
  readonly successful: number;
  readonly failed: number;
  readonly unknown: number;
  readonly waiting: number;
  readonly expired: number;
  readonly not_reachable: number;
};

/** The recent campaigns that failed as a whole, reached no one, or had many failed attempts. */
export async function listFailingCampaigns(
  sql: Sql,
  { applicationId, since }: RecentFilter,
): Promise<FailingCampaign[]> {
  const { rows } = await sql.query<FailedRow>(statement('list-failing-campaigns'), [
    applicationId,
    firstIdSince(since),
    CAMPAIGNS_SCANNED_MAX,
    FAILED_MIN,
  ]);
  return rows.flatMap((row) => toFailing(row) ?? []).slice(0, NAMED_MAX);
}

function toFailing(row: FailedRow): FailingCampaign | null {
  const { status, failed, expired, recipients } = row;
  const { attempted, notReachable } = countAttempts(row, row.not_reachable);
  const failedAttempts = failed - notReachable;
  const campaign = {
    campaignId: row.id,
    channel: row.channel,
    createdAt: row.created_at.getTime(),
  };
  if (status === 'failed') return { ...campaign, cause: 'failed', failed, total: recipients };
  const verdict = status === 'completed' ? decideVerdict(row, notReachable) : null;
  if (verdict === 'no_one_reached')
    return { ...campaign, cause: verdict, failed: failed + expired, total: recipients };
  const isFailing = failedAttempts >= FAILED_MIN && failedAttempts >= FAILING_SHARE * attempted;
  return isFailing
    ? {
        ...campaign,
        cause: verdict === 'all_failed' ? verdict : 'failures',
        failed: failedAttempts,
        total: attempted,
      }
    : null;
}

export type RejectedAddress = {
  readonly address: string;
  readonly requests: number;
  readonly lastAt: number;
};

/** IP addresses that used a valid key but are not on the allow-list, latest first. */
export async function listRejectedAddresses(
  sql: Sql,
  { applicationId, since }: RecentFilter,
): Promise<RejectedAddress[]> {
  const { rows } = await sql.query<{ address: string; n: number; last_at: Date }>(
    statement('list-rejected-addresses'),
    [applicationId, new Date(since), REJECTIONS_SCANNED_MAX, NAMED_MAX],
  );
  return rows.map((row) => ({
    address: row.address,
    requests: row.n,
    lastAt: row.last_at.getTime(),
  }));
}
