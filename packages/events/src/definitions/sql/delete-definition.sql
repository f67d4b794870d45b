-- name: delete-definition
update definitions set deleted_at = now() where application_id = $1 and slug = $2

-- name: lock-definition-to-delete
select d.merged_into is not null
  or exists (
    select from definitions o where o.application_id = $1 and o.merged_into = $2
  ) as is_merged
from definitions d
where d.application_id = $1 and d.slug = $2 and d.deleted_at is null

-- name: read-hourly-counts
select hour::text as hour, sum(events)::text as events
from definition_hours
where application_id = $1 and slug = $2
group by hour

-- name: has-events
select exists (
  select
  from (
    select hour, max(last_received_at) as last_at
    from definition_hours
    where application_id = $1 and slug = $2
    group by hour
  ) h
    cross join lateral (
      select
      from events e
      where e.application_id = $1
        and e.received_at >= h.hour
        and e.received_at <= h.last_at
        and e.slug = $2
      limit 1
    ) found
) as has_events
