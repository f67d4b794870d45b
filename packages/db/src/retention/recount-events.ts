import { asOnly } from '../as-only.ts';
import type { Database, Sql } from '../database.ts';

type Slice = { readonly applicationId: string; readonly from: string | null; readonly before: string };

/**
 * Counts some of the events by time that were stored before a trigger did so, from the newest arrival on, about `limit` at once;
 * false when all are counted or another process is at it. Events that are not stored any more are counted by their hour of arrival,
 * as far as charts showed them so: hours before the oldest stored event. @callers events-consumer
 */
export async function recountEvents(db: Database, { limit }: { readonly limit: number }): Promise<boolean> {
  const result = await asOnly(db, 'recount', async (sql) => {
    const slice = await nextSlice(sql, limit);
    if (slice === null) return false;
    await countSlice(sql, slice);
    if (slice.from === null) await keepArrivals(sql, slice);
    await sql.query(`update event_recounts set before = coalesce($2::timestamptz, '-infinity') where application_id = $1`, [slice.applicationId, slice.from]);
    return true;
  });
  return result === true;
}

/** Of all that arrived before some instant the newest, those of one instant together; `from` null: what is left. Instants as text, which has infinity and microseconds. */
async function nextSlice(sql: Sql, limit: number): Promise<Slice | null> {
  const { rows } = await sql.query<Slice>(
    `select r.application_id as "applicationId", r.before::text as before, (
       select e.received_at::text from events e where e.application_id = r.application_id and e.received_at < r.before
       order by e.received_at desc offset $1 limit 1) as "from"
     from event_recounts r where r.before > '-infinity' order by r.application_id limit 1`,
    [limit],
  );
  return rows[0] ?? null;
}

async function countSlice(sql: Sql, { applicationId, from, before }: Slice): Promise<void> {
  await sql.query(
    `insert into event_quarters as q (application_id, slug, quarter, currency, backend, events, revenue)
     select application_id, slug, event_quarter(time, received_at), coalesce(currency, ''), 0, count(*), coalesce(sum(revenue::numeric), 0)
     from events where application_id = $1 and received_at >= coalesce($2::timestamptz, '-infinity') and received_at < $3::timestamptz and not is_counted_by_time
     group by 1, 2, 3, 4 order by 1, 2, 3, 4
     on conflict (application_id, slug, quarter, currency, backend) do update
     set events = q.events + excluded.events, revenue = q.revenue + excluded.revenue`,
    [applicationId, from, before],
  );
}

/** The sums by arrival of the hours before the oldest event that is stored, or before the trigger where none is. */
async function keepArrivals(sql: Sql, { applicationId }: Slice): Promise<void> {
  await sql.query(
    `insert into event_quarters (application_id, slug, quarter, currency, backend, events, revenue)
     select application_id, slug, hour, currency, -1, sum(events), sum(revenue) from definition_hours
     where application_id = $1 and hour > '-infinity'
       and hour < date_trunc('hour', least(
         (select min(received_at) from events where application_id = $1),
         (select trigger_at from event_recounts where application_id = $1)), 'UTC')
     group by application_id, slug, hour, currency order by application_id, slug, hour, currency`,
    [applicationId],
  );
}
