import type { Database } from '@tidings/postgres/database';
import { COUNTED_NOTES, countedReason, groupOf } from './counting.ts';

/** A counter that is not what a recount of the deliveries says. */
export type CounterDifference = {
  readonly campaignId: string;
  readonly state: string;
  /** Of a failure; empty for every other state. */
  readonly reason: string;
  readonly counted: number;
  readonly recounted: number;
};

export type Reconciliation = {
  readonly campaigns: number;
  readonly differences: readonly CounterDifference[];
  /** From where to go on; null at the end. */
  readonly nextAfter: string | null;
};

export type ReconciliationBounds = {
  readonly campaignsMax: number;
  /** Of all campaigns of one step together; a larger campaign is a step by itself. */
  readonly recipientsMax: number;
  /** Campaigns that are at work, and those accepted so many days ago at most. */
  readonly days: number;
};

/**
 * Compares the counters of the next campaigns after this id with a recount of their deliveries. One statement is one
 * snapshot, and whoever changes a delivery changes its counters in the same transaction: nothing may differ, however
 * much goes on meanwhile.
 */
export async function reconcileCounters(
  db: Database,
  after: string | null,
  { campaignsMax, recipientsMax, days }: ReconciliationBounds,
): Promise<Reconciliation> {
  const { rows } = await db.sql.query<ReconciliationRow>(
    `with candidate as (
       (select id, recipients_unique from campaigns where id > $1 and status in ('queued', 'sending', 'paused') order by id limit $2)
       union
       (select id, recipients_unique from campaigns where id > $1 and id > uuidv7(-$4::float8 * interval '1 day') order by id limit $2)),
     sized as (
       select id, row_number() over (order by id) as position, sum(recipients_unique) over (order by id) as recipients
       from candidate order by id limit $2),
     chosen as materialized (select id from sized where position = 1 or recipients <= $3),
     counted as (
       select k.campaign_id, k.state, k.reason, sum(k.n) as n
       from chosen join campaign_counters k on k.campaign_id = chosen.id group by 1, 2, 3),
     -- Campaign by campaign, by its index, however many others there are.
     recounted as (
       select chosen.id as campaign_id, d.state, d.reason, d.n
       from chosen cross join lateral (
         select k.state, k.reason, count(*) as n
         from deliveries d cross join lateral (
           select ${groupOf('d.state')} as state, ${countedReason('d.state', 'd.reason')} as reason
           ${COUNTED_NOTES.map((note) => `union all select '${note}', '' where d.${note}_at is not null`).join(' ')}) k
         where d.campaign_id = chosen.id group by 1, 2) d),
     different as (
       select campaign_id, state, reason, coalesce(c.n, 0)::float8 as counted, coalesce(r.n, 0)::float8 as recounted
       from counted c full join recounted r using (campaign_id, state, reason) where coalesce(c.n, 0) <> coalesce(r.n, 0))
     select looked.*, d.campaign_id, d.state, d.reason, d.counted, d.recounted
     from (select count(*)::int as campaigns, (select id from chosen order by id desc limit 1) as last_id from chosen) looked
     left join different d on true order by d.campaign_id, d.state, d.reason`,
    [after ?? '00000000-0000-0000-0000-000000000000', campaignsMax, recipientsMax, days],
  );
  return {
    campaigns: rows[0]?.campaigns ?? 0,
    nextAfter: rows[0]?.last_id ?? null,
    differences: rows.flatMap((row) =>
      row.campaign_id === null
        ? []
        : [
            {
              campaignId: row.campaign_id,
              state: row.state,
              reason: row.reason,
              counted: row.counted,
              recounted: row.recounted,
            },
          ],
    ),
  };
}

type ReconciliationRow = { readonly campaigns: number; readonly last_id: string | null } & (
  | { readonly campaign_id: null }
  | {
      readonly campaign_id: string;
      readonly state: string;
      readonly reason: string;
      readonly counted: number;
      readonly recounted: number;
    }
);
