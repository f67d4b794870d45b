import type { OUTCOME_GROUPS } from '@tidings/api-spec/outcome-groups';
import { SUCCESS_STATES, UNREACHABLE_REASONS, type Channel } from '@tidings/contracts';
import { COUNTED_NOTES } from '@tidings/delivery/counting';
import type { Sql } from '@tidings/postgres/database';
import { firstIdSince } from '@tidings/postgres/first-id-since';

/** `notReachable`: the part of `failed` without an attempt. */
export type OutcomeCounts = Readonly<
  Record<(typeof OUTCOME_GROUPS)[number] | 'notReachable', number>
>;

/** `since`: start of the period; later than requested when there were too many campaigns. */
export type ChannelOutcomes = {
  readonly since: number;
  readonly campaigns: number;
  readonly channels: ReadonlyMap<Channel, OutcomeCounts>;
};

/** Maximum campaigns counted; each costs an index lookup. */
const CAMPAIGNS_MAX = 5_000;

const sqlList = (values: readonly string[]): string =>
  values.map((value) => `'${value}'`).join(', ');

type OutcomeRow = {
  readonly channel: Channel | null;
  readonly group: (typeof OUTCOME_GROUPS)[number] | null;
  readonly n: number;
  readonly not_reachable: number;
  readonly campaigns: number;
  readonly oldest: Date | null;
};

/** Outcomes per channel for campaigns since an instant, without test sends. */
export async function readChannelOutcomes(
  sql: Sql,
  { applicationId, since }: { readonly applicationId: string; readonly since: number },
): Promise<ChannelOutcomes> {
  const { rows } = await sql.query<OutcomeRow>(
    `with recent as materialized (
       select id, channel, created_at from campaigns
       where application_id = $1 and source <> 'test' and id >= $2 order by id desc limit ${CAMPAIGNS_MAX}),
     looked as (select count(*)::int as campaigns, min(created_at) as oldest from recent),
     counted as (
       select r.channel, case when c.state in (${sqlList(SUCCESS_STATES)}) then 'successful' else c.state end as "group", sum(c.n)::float8 as n,
              coalesce(sum(c.n) filter (where c.state = 'failed' and c.reason in (${sqlList(UNREACHABLE_REASONS)})), 0)::float8 as not_reachable
       from recent r cross join lateral (select state, reason, n from campaign_counters where campaign_id = r.id offset 0) as c
       where c.state not in (${sqlList(COUNTED_NOTES)}) group by 1, 2)
     select counted.channel, counted."group", counted.n, counted.not_reachable, looked.campaigns, looked.oldest from looked left join counted on true`,
    [applicationId, firstIdSince(since)],
  );
  const channels = new Map<Channel, OutcomeCounts>();
  for (const { channel, group, n, not_reachable: notReachable } of rows) {
    if (channel === null || group === null) continue;
    channels.set(channel, {
      ...(channels.get(channel) ?? NONE),
      [group]: n,
      ...(group === 'failed' && { notReachable }),
    });
  }
  const [{ campaigns, oldest } = { campaigns: 0, oldest: null }] = rows;
  return {
    since: campaigns === CAMPAIGNS_MAX && oldest !== null ? oldest.getTime() : since,
    campaigns,
    channels,
  };
}

const NONE: OutcomeCounts = {
  notReachable: 0,
  successful: 0,
  failed: 0,
  unknown: 0,
  expired: 0,
  canceled: 0,
  waiting: 0,
  pending: 0,
};
