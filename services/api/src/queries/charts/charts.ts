import type { Sql } from '@tidings/postgres/database';

export type ChartPoint = {
  readonly at: number;
  readonly events: number;
  readonly revenue: Readonly<Record<string, number>>;
};

export type ChartQuery = {
  readonly applicationId: string;
  /** Start of each point in milliseconds since the epoch, ascending, on quarter hours of UTC. */
  readonly starts: readonly number[];
  /** End of the last point. */
  readonly to: number;
  /**
   * What to count: a definition with those merged into it, `revenue` for all events with a
   * currency, or all events when absent.
   */
  readonly of?: { readonly slug: string } | 'revenue';
};

export type Chart = {
  readonly points: readonly ChartPoint[];
  /** Events whose time is too far from their arrival to appear in any chart. */
  readonly outside: number;
  /** Events in these points that are counted by arrival hour. */
  readonly byArrival: number;
  /**
   * Events that arrived earlier are still being counted after an upgrade; null: all are counted.
   */
  readonly countedFrom: number | null;
};

/** Limits a sum to the range of a double, as JSON requires. */
const toDouble = (sum: string): string => `least(greatest(${sum}, -1.7e308), 1.7e308)::float8`;

/**
 * SQL for the counted slugs: of definition `$2` with merged ones, or of all. Joined laterally, so
 * that each slug is one range of the primary key.
 */
const SLUGS =
  'select slug from definitions where application_id = $1 and ($2::text is null or slug = $2 or merged_into = $2)';
/**
 * SQL for the sums of a period, `$3` to `$4`, plus events outside all periods. Two key ranges: with
 * `or` Postgres would read them as one.
 */
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

/** Counts events by event time, and revenue by currency. */
export async function readChart(
  sql: Sql,
  { applicationId, starts, to, of }: ChartQuery,
): Promise<Chart> {
  // Read before the sums: they may then include more than this instant says, never less.
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

/**
 * The progress of `recountEvents`, which runs backwards from the newest arrival and ends with sums
 * by arrival.
 */
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

/** Revenue of a period by currency, most events first. Currencies are never mixed. */
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
