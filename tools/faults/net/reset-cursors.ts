// Groups of the log in Postgres are moved back only here: no operator has a reason to.
import type { Sql } from '@tidings/postgres/database';

/** Moves groups back to the first record that a topic of the log in Postgres has. */
export async function resetCursors(
  sql: Sql,
  { topic, groups }: { readonly topic: string; readonly groups: readonly string[] },
): Promise<number> {
  const { rows } = await sql.query<{ records: number }>(
    `with moved as (
       select l.grp, l.part, coalesce(l.committed, 0) - h.low as records
       from log_leases l join log_topics t on t.id = l.topic_id and t.topic = $1
         join log_heads h on h.topic_id = l.topic_id and h.part = l.part
       where l.grp = any($2)
       for update of l
     ), updated as (
       update log_leases l set committed = h.low
       from log_topics t, log_heads h
       where t.topic = $1 and l.topic_id = t.id and h.topic_id = l.topic_id and h.part = l.part and l.grp = any($2)
     )
     select coalesce(sum(greatest(records, 0)), 0)::int as records from moved`,
    [topic, groups],
  );
  return rows[0]?.records ?? 0;
}
