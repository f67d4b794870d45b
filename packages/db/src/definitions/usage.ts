import type { Sql } from '../database.ts';

/** How often the events of a definition came, those of definitions that were merged into it included. */
export type DefinitionUsage = { readonly events: number; readonly eventsLastDay: number; readonly lastReceivedAt: number | null };

export const NO_USAGE: DefinitionUsage = { events: 0, eventsLastDay: 0, lastReceivedAt: null };

const ROOT = 'coalesce(d.merged_into, d.slug)';

/** By slug, of the definitions that stand for events now; one without events is absent. */
export async function readDefinitionUsage(sql: Sql, applicationId: string): Promise<ReadonlyMap<string, DefinitionUsage>> {
  const { rows } = await sql.query<{ slug: string; events: number; last_day: number; last_at: Date }>(
    `select ${ROOT} as slug, sum(h.events)::float8 as events, coalesce(sum(h.last_day), 0)::float8 as last_day, max(h.last_at) as last_at
     from (select slug, sum(events) as events, sum(events) filter (where hour > now() - interval '1 day') as last_day, max(last_received_at) as last_at
           from definition_hours where application_id = $1 group by slug) as h
     join definitions d on d.application_id = $1 and d.slug = h.slug group by 1`,
    [applicationId],
  );
  return new Map(rows.map((row) => [row.slug, { events: row.events, eventsLastDay: row.last_day, lastReceivedAt: row.last_at.getTime() }]));
}

export const CHART_STEPS = ['hour', 'day'] as const;
export type ChartStep = (typeof CHART_STEPS)[number];
export type ChartPoint = { readonly at: number; readonly events: number; readonly revenue: Readonly<Record<string, number>> };

export type ChartQuery = {
  readonly applicationId: string;
  /** Arrival, in milliseconds since the epoch: from the hour of this one on, and before that one. */
  readonly from: number;
  readonly to: number;
  /** Days are those of UTC. */
  readonly step: ChartStep;
  /** A slug, with all that were merged into it; absent: all definitions. */
  readonly slug?: string;
};

/** A sum may be more than a double holds; JSON has no more. */
const doubleOf = (sum: string): string => `least(greatest(${sum}, -1.7e308), 1.7e308)::float8`;

/** Events by time of arrival, and revenue by currency, from the oldest point on; points without events are left out. */
export async function readChart(sql: Sql, { applicationId, from, to, step, slug }: ChartQuery): Promise<ChartPoint[]> {
  const { rows } = await sql.query<{ at: Date; currency: string; events: number; revenue: number }>(
    `select date_trunc($5, h.hour, 'UTC') as at, h.currency, sum(h.events)::float8 as events, ${doubleOf('sum(h.revenue)')} as revenue
     from definition_hours h
     where h.application_id = $1 and h.hour >= date_trunc('hour', $2::timestamptz) and h.hour < $3
       and ($4::text is null or h.slug = any(array(select slug from definitions where application_id = $1 and (slug = $4 or merged_into = $4))))
     group by 1, 2 order by 1, 2`,
    [applicationId, new Date(from), new Date(to), slug ?? null, step],
  );
  return [...Map.groupBy(rows, (row) => row.at.getTime())].map(([at, own]) => ({
    at,
    events: own.reduce((sum, row) => sum + row.events, 0),
    revenue: Object.fromEntries(own.filter((row) => row.currency !== '').map((row) => [row.currency, row.revenue])),
  }));
}

export type CurrencyRevenue = { readonly currency: string; readonly events: number; readonly revenue: number };

/** Revenue of a time by currency, which never mix; those with the most events first. */
export async function readRevenue(sql: Sql, { applicationId, from, to }: Pick<ChartQuery, 'applicationId' | 'from' | 'to'>): Promise<CurrencyRevenue[]> {
  const { rows } = await sql.query<CurrencyRevenue>(
    `select currency, sum(events)::float8 as events, ${doubleOf('sum(revenue)')} as revenue from definition_hours
     where application_id = $1 and hour >= date_trunc('hour', $2::timestamptz) and hour < $3 and currency <> ''
     group by currency order by 2 desc, 1`,
    [applicationId, new Date(from), new Date(to)],
  );
  return rows;
}
