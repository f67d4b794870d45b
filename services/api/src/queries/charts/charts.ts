import type { Sql } from '@tidings/postgres/database';

export type ChartPoint = {
  readonly at: number;
  readonly events: number;
  readonly revenue: Readonly<Record<string, number>>;
};

export type ChartQuery = {
  readonly applicationId: string;
  /** The beginning of each point, in milliseconds since the epoch, from the oldest on; quarter hours of UTC. */
  readonly starts: readonly number[];
  /** Where the last point ends. */
  readonly to: number;
  /** A slug, with all that were merged into it; `revenue`: all events with a currency; absent: all events. */
  readonly of?: { readonly slug: string } | 'revenue';
};

export type Chart = {
  readonly points: readonly ChartPoint[];
  /** Events whose time is too far from their arrival for any chart, whenever they came. */
  readonly outside: number;
  /** Of the events in the points those that stand by the hour of their arrival. */
  readonly byArrival: number;
  /** Events that arrived before this instant are still being counted after an upgrade; null: all are counted. */
  readonly countedFrom: number | null;
};

/** A sum may be more than a double holds; JSON has no more. */
const toDouble = (sum: string): string => `least(greatest(${sum}, -1.7e308), 1.7e308)::float8`;

/** SQL of the slugs whose events are counted: of one definition, `$2`, or of all. Each is looked up by itself, as the key has it. */
const SLUGS =
  'select slug from definitions where application_id = $1 and ($2::text is null or slug = $2 or merged_into = $2)';
/** SQL of the sums of a time, `$3` to `$4`, and of those outside of all times: two ranges of the key, which an `or` would read as one. */
const selectSums = (which: string): string =>
  ['quarter >= $3 and quarter < $4', "quarter = 'infinity'"]
    .map(
      (time) =>
        `select quarter, currency, backend, events, revenue from event_quarters where application_id = $1 and ${which} and ${time}`,
    )
    .join(' union all ');

const SOURCES = {
  definitions: `(${SLUGS}) as d cross join lateral (${selectSums('slug = d.slug')}) as q`,
  revenue: `(${selectSums("currency <> '' and $2::text is null")}) as q`,
} as const;

/** Events by the time at which they happened, and revenue by currency. */
export async function readChart(
  sql: Sql,
  { applicationId, starts, to, of }: ChartQuery,
): Promise<Chart> {
  // Before the sums: they may have more than this says, never less.
  const countedFrom = await readCountedFrom(sql, applicationId);
  const { rows } = await sql.query<{
    point: number | null;
    currency: string;
    events: number;
    revenue: number;
    by_arrival: number;
  }>(
    `select case when q.quarter < 'infinity' then width_bucket(q.quarter, $5::timestamptz[]) end as point, q.currency, sum(q.events)::float8 as events,
            ${toDouble('sum(q.revenue)')} as revenue, coalesce(sum(q.events) filter (where q.backend = -1), 0)::float8 as by_arrival
     from ${of === 'revenue' ? SOURCES.revenue : SOURCES.definitions} group by 1, 2 order by 1, 2`,
    [
      applicationId,
      typeof of === 'object' ? of.slug : null,
      new Date(starts[0] ?? to),
      new Date(to),
      starts.map((start) => new Date(start)),
    ],
  );
  const placed = rows.filter(({ point }) => point !== null);
  const byPoint = Map.groupBy(placed, ({ point }) => point);
  return {
    points: starts.map((at, index) => {
      const own = byPoint.get(index + 1) ?? [];
      return {
        at,
        events: sum(own, 'events'),
        revenue: Object.fromEntries(
          own
            .filter(({ currency }) => currency !== '')
            .map(({ currency, revenue }) => [currency, revenue]),
        ),
      };
    }),
    outside: sum(
      rows.filter(({ point }) => point === null),
      'events',
    ),
    byArrival: sum(placed, 'by_arrival'),
    countedFrom,
  };
}

/** How far `recountEvents` is, which goes back from the newest arrival on and ends with sums by arrival. */
async function readCountedFrom(sql: Sql, applicationId: string): Promise<number | null> {
  const { rows } = await sql.query<{ counted_from: Date }>(
    `select case when before > '-infinity' then least(before, trigger_at) else arrivals_before end as counted_from
     from event_recounts where application_id = $1 and (before > '-infinity' or arrivals_before is not null)`,
    [applicationId],
  );
  return rows[0]?.counted_from.getTime() ?? null;
}

const sum = <K extends string>(rows: readonly Readonly<Record<K, number>>[], key: K): number =>
  rows.reduce((sum, row) => sum + row[key], 0);

export type CurrencyRevenue = {
  readonly currency: string;
  readonly events: number;
  readonly revenue: number;
};

/** Revenue of a time by currency, which never mix; those with the most events first. */
export async function readRevenue(
  sql: Sql,
  { applicationId, starts, to }: Omit<ChartQuery, 'of'>,
): Promise<CurrencyRevenue[]> {
  const { rows } = await sql.query<CurrencyRevenue>(
    `select currency, sum(events)::float8 as events, ${toDouble('sum(revenue)')} as revenue from event_quarters
     where application_id = $1 and quarter >= $2 and quarter < $3 and currency <> ''
     group by currency order by 2 desc, 1`,
    [applicationId, new Date(starts[0] ?? to), new Date(to)],
  );
  return rows;
}
