-- name: read-event-quarters
-- Of some definitions, how many events happened in each quarter hour.
select extract(epoch from q.quarter)::float8 * 1000 as at, sum(q.events)::float8 as events
from event_quarters q
where q.application_id = $1
  and q.slug = any($2::text[])
  and q.quarter >= to_timestamp($3::float8 / 1000)
  and q.quarter <= to_timestamp($4::float8 / 1000)
group by q.quarter
order by q.quarter
