import { SUCCESS_STATES, type Channel } from '@tidings/contracts';
import type { Sql } from '../database.ts';
import { COUNTED_NOTES } from '../campaigns/counting.ts';
import { firstIdSince } from '../first-id-since.ts';

export const OUTCOME_GROUPS = ['successful', 'failed', 'unknown', 'expired', 'canceled', 'waiting', 'pending'] as const;
export type OutcomeCounts = Readonly<Record<(typeof OUTCOME_GROUPS)[number], number>>;

/** `since`: of the campaigns accepted from then on; later than was asked for where there were too many to look at. */
export type ChannelOutcomes = { readonly since: number; readonly campaigns: number; readonly channels: ReadonlyMap<Channel, OutcomeCounts> };

/** Campaigns that one look counts: each costs a look into its counters. */
const CAMPAIGNS_MAX = 5_000;

const LIST = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');

/** What became of the recipients of campaigns that were accepted since an instant, by channel; test sends aside. */
export async function readChannelOutcomes(sql: Sql, { applicationId, since }: { readonly applicationId: string; readonly since: number }): Promise<ChannelOutcomes> {
  const { rows } = await sql.query<{ channel: Channel | null; group: keyof OutcomeCounts | null; n: number; campaigns: number; oldest: Date | null }>(
    `with recent as materialized (
       select id, channel, created_at from campaigns
       where application_id = $1 and source <> 'test' and id >= $2 order by id desc limit ${CAMPAIGNS_MAX}),
     looked as (select count(*)::int as campaigns, min(created_at) as oldest from recent),
     counted as (
       select r.channel, case when c.state in (${LIST(SUCCESS_STATES)}) then 'successful' else c.state end as "group", sum(c.n)::float8 as n
       from recent r cross join lateral (select state, n from campaign_counters where campaign_id = r.id offset 0) as c
       where c.state not in (${LIST(COUNTED_NOTES)}) group by 1, 2)
     select counted.channel, counted."group", counted.n, looked.campaigns, looked.oldest from looked left join counted on true`,
    [applicationId, firstIdSince(since)],
  );
  const channels = new Map<Channel, OutcomeCounts>();
  for (const { channel, group, n } of rows) {
    if (channel === null || group === null) continue;
    channels.set(channel, { ...(channels.get(channel) ?? NONE), [group]: n });
  }
  const [{ campaigns, oldest } = { campaigns: 0, oldest: null }] = rows;
  return { since: campaigns === CAMPAIGNS_MAX && oldest !== null ? oldest.getTime() : since, campaigns, channels };
}

const NONE: OutcomeCounts = { successful: 0, failed: 0, unknown: 0, expired: 0, canceled: 0, waiting: 0, pending: 0 };
