import type { Sql } from '../database.ts';

/** Sums that each connection adds to by itself: by which time, what names a row beside it, and how two rows become one. */
const SUMS = {
  ingest_minutes: {
    time: 'minute',
    key: ['application_id', 'minute'],
    sums: { requests: 'sum(g.requests)', messages: 'sum(g.messages)' },
    added: 'requests = s.requests + excluded.requests, messages = s.messages + excluded.messages',
  },
  definition_hours: {
    time: 'hour',
    key: ['application_id', 'slug', 'hour', 'currency'],
    sums: { events: 'sum(g.events)', revenue: 'sum(g.revenue)', last_received_at: 'max(g.last_received_at)' },
    added: 'events = s.events + excluded.events, revenue = s.revenue + excluded.revenue, last_received_at = greatest(s.last_received_at, excluded.last_received_at)',
  },
} as const;
export type TableOfSums = keyof typeof SUMS;
export const TABLES_OF_SUMS = Object.keys(SUMS) as TableOfSums[];

/** Makes one row of those that different connections added to before an instant, the oldest first; how many went. @callers events-consumer */
export async function foldSums(sql: Sql, table: TableOfSums, { before, limit }: { readonly before: Date; readonly limit: number }): Promise<number> {
  const { time, key, sums, added } = SUMS[table];
  const { rows } = await sql.query<{ folded: number }>(
    `with due as (
       select ${key.join(', ')}, backend from ${table} where backend <> 0 and ${time} < $1 order by ${time} limit $2 for update skip locked),
     gone as (
       delete from ${table} t using due where t.backend = due.backend and ${key.map((column) => `t.${column} = due.${column}`).join(' and ')} returning t.*),
     kept as (
       insert into ${table} as s (${[...key, 'backend', ...Object.keys(sums)].join(', ')})
       select ${key.map((column) => `g.${column}`).join(', ')}, 0, ${Object.values(sums).join(', ')} from gone g
       group by ${key.map((column) => `g.${column}`).join(', ')} order by ${key.map((column) => `g.${column}`).join(', ')}
       on conflict (${[...key, 'backend'].join(', ')}) do update set ${added})
     select count(*)::int as folded from gone`,
    [before, limit],
  );
  return rows[0]?.folded ?? 0;
}
