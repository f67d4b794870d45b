import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

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
    of === 'revenue' ? statement('read-chart-of-revenue') : statement('read-chart-of-definitions'),
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
  const { rows } = await sql.query<{ counted_from: Date }>(statement('read-counted-from'), [
    applicationId,
  ]);
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
  const { rows } = await sql.query<CurrencyRevenue>(statement('read-revenue'), [
    applicationId,
    new Date(starts[0] ?? to),
    new Date(to),
  ]);
  return rows;
}
