-- name: find-user
select u.id, u.registered_at is not null as is_registered
from users u
where u.application_id = $1 and u.custom_user_id = $2

-- name: read-last-triggers
-- The last events of a person by these definitions, with what the automation made of each.
-- $1 person, $2 slugs, $3 automation, $4 number
select e.request_id, e.message_index, e.message_id, e.time::text as time,
  round(extract(epoch from e.received_at) * 1000)::float8 as received_ms,
  coalesce(e.is_proved, false) as is_proved, t.result, t.run_id
from (
  select e.*
  from users p
    cross join unnest($2::text[]) as s(slug)
    join events e on e.user_id = p.id and e.slug = s.slug
  where p.id = $1 or p.merged_into = $1
  order by e.time desc
  limit $4
) e
  left join automation_triggers t on t.automation_id = $3
    and t.request_id = e.request_id
    and t.message_index = e.message_index
order by e.time desc, e.received_at desc

-- name: read-decisions
-- The last triggers of a person without an event. $1 automation, $2 person, $3 number
select floor(extract(epoch from t.occurred_at) * 1000)::float8 as at, t.result, t.run_id
from automation_triggers t
where t.automation_id = $1 and t.user_id = $2 and t.kind is not null
order by t.occurred_at desc
limit $3

-- name: read-due-date
-- $1 automation, $2 person
select floor(extract(epoch from d.due_at) * 1000)::float8 as at
from automation_dates d
  join automation_date_builds b on b.automation_id = d.automation_id and b.build = d.build
where d.automation_id = $1 and d.user_id = $2 and d.due_at is not null

-- name: read-missed
-- $1 automation, $2 number
select (m ->> 'at')::float8 as at, m ->> 'reason' as reason
from automation_schedules s cross join jsonb_array_elements(s.missed) as m
where s.automation_id = $1
order by 1 desc
limit $2
