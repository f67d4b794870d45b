-- name: lock-next-recount
select application_id as "applicationId", before::text as before,
  before > '-infinity' as "hasEvents", arrivals_slug as slug
from event_recounts
where before > '-infinity' or arrivals_before is not null
order by application_id
limit 1

-- name: find-slice-start
select received_at::text as "from"
from events
where application_id = $1 and received_at < $2::timestamptz
order by received_at desc
offset $3
limit 1

-- name: count-slice
insert into event_quarters as q (application_id, slug, quarter, currency, backend, events, revenue)
select application_id, slug, event_quarter(time, received_at), coalesce(currency, ''), 0, count(*),
  coalesce(sum(revenue::numeric), 0)
from events
where application_id = $1
  and received_at >= $2::timestamptz
  and received_at < $3::timestamptz
  and not is_counted_by_time
group by 1, 2, 3, 4
order by 1, 2, 3, 4
on conflict (application_id, slug, quarter, currency, backend) do update
set events = q.events + excluded.events, revenue = q.revenue + excluded.revenue

-- name: finish-slice
update event_recounts
set before = $2::timestamptz,
  arrivals_before = case
    when $2::timestamptz = '-infinity' then date_trunc(
      'hour', least((select min(received_at) from events where application_id = $1), trigger_at),
      'UTC'
    )
  end
where application_id = $1

-- name: next-arrival-slug
select slug from definition_hours where application_id = $1 and slug > $2 order by slug limit 1

-- name: count-arrivals
insert into event_quarters (application_id, slug, quarter, currency, backend, events, revenue)
select application_id, slug, hour, currency, -1, sum(events), sum(revenue)
from definition_hours
where application_id = $1
  and slug = $2
  and hour > '-infinity'
  and hour < (select arrivals_before from event_recounts where application_id = $1)
group by application_id, slug, hour, currency
order by application_id, slug, hour, currency

-- name: finish-arrival-slug
update event_recounts
set arrivals_slug = coalesce($2, arrivals_slug),
  arrivals_before = case when $2::text is not null then arrivals_before end
where application_id = $1
