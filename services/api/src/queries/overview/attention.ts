import {
  countAttempts,
  SUCCESS_STATES,
  UNREACHABLE_REASONS,
  decideVerdict,
  type CampaignStatus,
  type Channel,
  type WebhookDisabledReason,
} from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { firstIdSince } from '@tidings/postgres/first-id-since';

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
    `select count(*)::int as n, min(created_at) as since from (
       select created_at from dead_letters where application_id = $1 and status = 'waiting' order by id desc limit ${DEAD_LETTERS_COUNTED_MAX + 1}) as x`,
    [applicationId],
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
  }>(
    `select id, url, disabled_reason, coalesce(disabled_at, failing_since) as since from webhook_endpoints
     where application_id = $1 and (disabled_reason in ('gone', 'failing') or (status = 'enabled' and failing_since is not null)) order by id`,
    [applicationId],
  );
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

const sqlList = (values: readonly string[]): string =>
  values.map((value) => `'${value}'`).join(', ');

/** The recent campaigns that failed as a whole, reached no one, or had many failed attempts. */
export async function listFailingCampaigns(
  sql: Sql,
  { applicationId, since }: RecentFilter,
): Promise<FailingCampaign[]> {
  const { rows } = await sql.query<FailedRow>(
    `with recent as materialized (
       select id, channel, created_at, status, recipients_unique from campaigns
       where application_id = $1 and source <> 'test' and id >= $2 order by id desc limit ${CAMPAIGNS_SCANNED_MAX})
     select r.id, r.channel, r.created_at, r.status, r.recipients_unique as recipients, c.*
     from recent r cross join lateral (
       select coalesce(sum(n) filter (where state in (${sqlList(SUCCESS_STATES)})), 0)::float8 as successful,
              coalesce(sum(n) filter (where state = 'failed'), 0)::float8 as failed,
              coalesce(sum(n) filter (where state = 'unknown'), 0)::float8 as unknown,
              coalesce(sum(n) filter (where state = 'waiting'), 0)::float8 as waiting,
              coalesce(sum(n) filter (where state = 'expired'), 0)::float8 as expired,
              coalesce(sum(n) filter (where state = 'failed' and reason in (${sqlList(UNREACHABLE_REASONS)})), 0)::float8 as not_reachable
       from campaign_counters where campaign_id = r.id) as c
     where r.status = 'failed' or c.failed + c.expired >= ${FAILED_MIN}
     order by r.id desc`,
    [applicationId, firstIdSince(since)],
  );
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
    `select address, count(*)::int as n, max(received_at) as last_at
     from (select address, code, received_at from refused_requests where application_id = $1 and received_at >= $2 order by received_at desc, request_id desc limit ${REJECTIONS_SCANNED_MAX}) as x
     where code = 'ip_not_allowed' and address is not null group by address order by last_at desc, address limit ${NAMED_MAX}`,
    [applicationId, new Date(since)],
  );
  return rows.map((row) => ({
    address: row.address,
    requests: row.n,
    lastAt: row.last_at.getTime(),
  }));
}
