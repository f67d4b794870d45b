import type { CampaignCounts, CampaignRecord } from '@tidings/contracts/push/campaigns';
import {
  STATE_GROUPS,
  SUCCESS_STATES,
  type DeliveryState,
} from '@tidings/contracts/push/deliveries';
import type { Database } from '@tidings/postgres/database';
import type { StoredDelivery } from './stored-deliveries.ts';

/**
 * Campaign counters that differ from their deliveries, in one snapshot. No difference is allowed at
 * any time.
 */
export async function findDifferences(
  db: Database,
  applicationIds: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await db.sql.query<{
    campaign_id: string;
    state: string;
    counted: number;
    recounted: number;
  }>(
    `with groups as (select * from unnest($2::text[], $3::text[]) as x(state, counted_as)),
     ours as (select id from campaigns where application_id = any($1)),
     counted as (select k.campaign_id, k.state, sum(k.n)::int as n from campaign_counters k join ours on ours.id = k.campaign_id group by 1, 2),
     recounted as (
       select d.campaign_id, g.counted_as as state, count(*)::int as n
       from deliveries d join ours on ours.id = d.campaign_id join groups g on g.state = d.state group by 1, 2)
     select campaign_id, state, coalesce(c.n, 0) as counted, coalesce(r.n, 0) as recounted
     from counted c full join recounted r using (campaign_id, state) where coalesce(c.n, 0) <> coalesce(r.n, 0)`,
    [applicationIds, Object.keys(STATE_GROUPS), Object.values(STATE_GROUPS)],
  );
  return rows.map(
    (row) =>
      `campaign ${row.campaign_id}: ${row.counted} ${row.state} counted, ${row.recounted} stored`,
  );
}

type Reported = Pick<
  CampaignCounts,
  | 'total'
  | 'pending'
  | 'waiting'
  | 'successful'
  | 'delivered'
  | 'failed'
  | 'unknown'
  | 'expired'
  | 'canceled'
>;

/** The counts of a report, computed from delivery states. */
export function countStates(states: readonly DeliveryState[]): Reported {
  const among = (...wanted: readonly string[]): number =>
    states.filter((state) => wanted.includes(STATE_GROUPS[state])).length;
  return {
    total: states.length,
    pending: among('pending'),
    waiting: among('waiting'),
    successful: among(...SUCCESS_STATES),
    delivered: among(...SUCCESS_STATES.slice(1)),
    failed: among('failed'),
    unknown: among('unknown'),
    expired: among('expired'),
    canceled: among('canceled'),
  };
}

/** Failures by reason that differ between a report and its deliveries. */
export function compareFailures(
  reported: CampaignRecord['failures'],
  deliveries: readonly Pick<StoredDelivery, 'state' | 'reason'>[],
): readonly string[] {
  const there = Map.groupBy(
    deliveries.filter(({ state }) => state === 'failed'),
    ({ reason }) => reason ?? 'internal',
  );
  const said = new Map(Object.entries(reported));
  return [...new Set([...there.keys(), ...said.keys()])].flatMap((reason) => {
    const [n, expected] = [said.get(reason) ?? 0, there.get(reason)?.length ?? 0];
    return n === expected ? [] : [`${n} failed for ${reason} reported, ${expected} stored`];
  });
}

/** Differences between a report and its deliveries. */
export function compareCounts(
  reported: Reported,
  states: readonly DeliveryState[],
): readonly string[] {
  return Object.entries(countStates(states)).flatMap(([name, expected]) => {
    const said = reported[name as keyof Reported];
    return said === expected ? [] : [`${said} ${name} reported, ${expected} stored`];
  });
}
