import type { Sql } from '@tidings/postgres/database';

/** Sums that each connection adds to by itself: by which time, which rows of a time are past, what names a row beside it, and how two rows become one. */
const SUMS = {
  ingest_minutes: {
    time: 'minute',
    counted: 'backend <> 0',
    past: 'minute < $1',
    key: ['application_id', 'minute'],
    sums: { requests: 'sum(g.requests)', messages: 'sum(g.messages)' },
    added: 'requests = s.requests + excluded.requests, messages = s.messages + excluded.messages',
  },
  definition_hours: {
    time: 'hour',
    counted: 'backend <> 0',
    settled: 'backend = 0',
    past: 'hour < $1',
    key: ['application_id', 'slug', 'hour', 'currency'],
    sums: {
      events: 'sum(g.events)',
      revenue: 'sum(g.revenue)',
      last_received_at: 'max(g.last_received_at)',
    },
    added:
      'events = s.events + excluded.events, revenue = s.revenue + excluded.revenue, last_received_at = greatest(s.last_received_at, excluded.last_received_at)',
  },
  event_quarters: {
    time: 'quarter',
    counted: 'backend > 0',
    settled: 'backend <= 0',
    // The row of the events without a place has no time that passes.
    past: "(quarter < $1 or quarter = 'infinity')",
    key: ['application_id', 'slug', 'quarter', 'currency'],
    sums: { events: 'sum(g.events)', revenue: 'sum(g.revenue)' },
    added: 'events = s.events + excluded.events, revenue = s.revenue + excluded.revenue',
  },
} as const;
export type TableOfSums = keyof typeof SUMS;
export const TABLES_OF_SUMS = Object.keys(SUMS) as TableOfSums[];
/** Those that charts are drawn from. */
export const TABLES_OF_CHARTS = [
  'definition_hours',
  'event_quarters',
] as const satisfies readonly TableOfSums[];

type Due = { readonly before: Date; readonly limit: number };

/** Makes one row of those that different connections added to before an instant, the oldest first; how many went. @callers scheduler */
export function foldSums(sql: Sql, table: TableOfSums, due: Due): Promise<number> {
  const { counted, past, time } = SUMS[table];
  return fold(sql, { table, ...due, where: `${counted} and ${past}`, at: `g.${time}` });
}

/**
 * Makes one row of the times before an instant, for each definition and currency, the oldest first; how many went. How much there
 * was in all stays exact; when it was is known no more. They must have been folded by `foldSums`. @callers scheduler
 */
export function foldChart(
  sql: Sql,
  table: (typeof TABLES_OF_CHARTS)[number],
  due: Due,
): Promise<number> {
  const { time, settled } = SUMS[table];
  return fold(sql, {
    table,
    ...due,
    where: `${settled} and ${time} > '-infinity' and ${time} < $1`,
    at: `'-infinity'::timestamptz`,
  });
}

type Fold = Due & {
  readonly table: TableOfSums;
  /** SQL of which rows go; `$1` is the instant. */
  readonly where: string;
  /** SQL of the time of the row that they become. */
  readonly at: string;
};

async function fold(sql: Sql, { table, before, limit, where, at }: Fold): Promise<number> {
  const { time, key, sums, added } = SUMS[table];
  const kept = key.map((column) => (column === time ? at : `g.${column}`)).join(', ');
  const { rows } = await sql.query<{ folded: number }>(
    `with due as (
       select ${key.join(', ')}, backend from ${table} where ${where} order by ${time} limit $2 for update skip locked),
     gone as (
       delete from ${table} t using due where t.backend = due.backend and ${key.map((column) => `t.${column} = due.${column}`).join(' and ')} returning t.*),
     kept as (
       insert into ${table} as s (${[...key, 'backend', ...Object.keys(sums)].join(', ')})
       select ${kept}, 0, ${Object.values(sums).join(', ')} from gone g
       group by ${kept} order by ${kept}
       on conflict (${[...key, 'backend'].join(', ')}) do update set ${added})
     select count(*)::int as folded from gone`,
    [before, limit],
  );
  return rows[0]?.folded ?? 0;
}
