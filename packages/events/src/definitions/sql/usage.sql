-- name: read-definition-usage
select coalesce(d.merged_into, d.slug) as slug, sum(h.events)::float8 as events,
  sum(q.events)::float8 as last_day, max(h.last_at) as last_at
from (
  select slug, sum(events) as events, max(last_received_at) as last_at
  from definition_hours
  where application_id = $1
  group by slug
) as h
  join definitions d on d.application_id = $1 and d.slug = h.slug
  cross join lateral (
    select coalesce(sum(events), 0) as events
    from event_quarters
    where application_id = $1
      and slug = h.slug
      and quarter > now() - interval '1 day'
      and quarter <= now()
  ) as q
group by 1
