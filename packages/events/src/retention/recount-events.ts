import { asOnly } from '@tidings/postgres/as-only';
import type { Database, Sql } from '@tidings/postgres/database';

/** What is left of an application. Instants as text, which has infinity and microseconds. */
type Recount = {
  readonly applicationId: string;
  readonly before: string;
  readonly hasEvents: boolean;
  readonly slug: string;
};

/**
 * Counts some of the events by time that were stored before a trigger did so, from the newest arrival on, about `limit` at once;
 * false when all are counted or another process is at it. Events that are not stored any more are counted by their hour of arrival,
 * a definition at once, as far as charts showed them so: hours before the oldest stored event. @callers scheduler
 */
export async function recountEvents(
  db: Database,
  { limit }: { readonly limit: number },
): Promise<boolean> {
  const result = await asOnly(db, 'recount', async (sql) => {
    const { rows } = await sql.query<Recount>(
      `select application_id as "applicationId", before::text as before, before > '-infinity' as "hasEvents", arrivals_slug as slug
       from event_recounts where before > '-infinity' or arrivals_before is not null order by application_id limit 1`,
    );
    const [next] = rows;
    if (next === undefined) return false;
    await (next.hasEvents ? countSlice(sql, next, limit) : keepArrivals(sql, next));
    return true;
  });
  return result === true;
}

/** Of all that arrived before some instant the newest, those of one instant together. */
async function countSlice(
  sql: Sql,
  { applicationId, before }: Recount,
  limit: number,
): Promise<void> {
  const { rows } = await sql.query<{ from: string }>(
    `select received_at::text as "from" from events where application_id = $1 and received_at < $2::timestamptz order by received_at desc offset $3 limit 1`,
    [applicationId, before, limit],
  );
  const from = rows[0]?.from ?? '-infinity';
  await sql.query(
    `insert into event_quarters as q (application_id, slug, quarter, currency, backend, events, revenue)
     select application_id, slug, event_quarter(time, received_at), coalesce(currency, ''), 0, count(*), coalesce(sum(revenue::numeric), 0)
     from events where application_id = $1 and received_at >= $2::timestamptz and received_at < $3::timestamptz and not is_counted_by_time
     group by 1, 2, 3, 4 order by 1, 2, 3, 4
     on conflict (application_id, slug, quarter, currency, backend) do update
     set events = q.events + excluded.events, revenue = q.revenue + excluded.revenue`,
    [applicationId, from, before],
  );
  await sql.query(
    `update event_recounts set before = $2::timestamptz,
       arrivals_before = case when $2::timestamptz = '-infinity' then
         date_trunc('hour', least((select min(received_at) from events where application_id = $1), trigger_at), 'UTC') end
     where application_id = $1`,
    [applicationId, from],
  );
}

/** The sums by arrival of the next definition, of the hours before the oldest event that was stored when all were counted. */
async function keepArrivals(sql: Sql, { applicationId, slug }: Recount): Promise<void> {
  const { rows } = await sql.query<{ slug: string }>(
    'select slug from definition_hours where application_id = $1 and slug > $2 order by slug limit 1',
    [applicationId, slug],
  );
  const next = rows[0]?.slug ?? null;
  await sql.query(
    `insert into event_quarters (application_id, slug, quarter, currency, backend, events, revenue)
     select application_id, slug, hour, currency, -1, sum(events), sum(revenue) from definition_hours
     where application_id = $1 and slug = $2 and hour > '-infinity' and hour < (select arrivals_before from event_recounts where application_id = $1)
     group by application_id, slug, hour, currency order by application_id, slug, hour, currency`,
    [applicationId, next],
  );
  await sql.query(
    'update event_recounts set arrivals_slug = coalesce($2, arrivals_slug), arrivals_before = case when $2::text is not null then arrivals_before end where application_id = $1',
    [applicationId, next],
  );
}
