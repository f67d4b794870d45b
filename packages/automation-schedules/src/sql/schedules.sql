-- name: read-schedule
-- Whether an automation has this schedule, with an instant of after its activation.
-- $1 automation, $2 application, $3 schedule, $4 activation in milliseconds
select floor(extract(epoch from now()) * 1000)::float8 as now, a.settings ->> 'timeZone' as zone,
  exists (
    select
    from automation_schedules s
    where s.automation_id = $1
      and s.schedule = $3::jsonb
      and (s.next_at is null or s.next_at >= to_timestamp($4::float8 / 1000))
  ) as is_kept
from applications a
where a.id = $2

-- name: put-schedule
-- $1 automation, $2 application, $3 schedule, $4 when it comes next, in milliseconds, $5 the zone
-- of the application
insert into automation_schedules as s (automation_id, application_id, schedule, next_at, zone)
values ($1, $2, $3::jsonb, to_timestamp($4::float8 / 1000), $5)
on conflict (automation_id) do update
set schedule = excluded.schedule, next_at = excluded.next_at, zone = excluded.zone,
  retry_at = null, failures = 0

-- name: lock-due-schedule
-- One that another process has is passed over, and one whose people of before are not with the
-- engine yet. The application that had its turn first comes first.
with due as (
  select s.automation_id, s.application_id
  from automation_schedules s
  where s.next_at <= now()
    and (s.retry_at is null or s.retry_at <= now())
    and not exists (
      select from automation_arrivals r where r.automation_id = s.automation_id
    )
),
turn as (
  select s.application_id, max(s.tried_at) as at
  from automation_schedules s
  where s.application_id in (select d.application_id from due d)
  group by s.application_id
)
select s.automation_id, s.application_id,
  floor(extract(epoch from s.next_at) * 1000)::float8 as at,
  case when a.archived_at is null then a.status else 'archived' end as status,
  p.settings ->> 'timeZone' as zone,
  (
    select v.definition
    from automation_versions v
    where v.automation_id = a.id and v.version = a.live_version
  ) as definition,
  floor(extract(epoch from now()) * 1000)::float8 as now
from due d
  join turn t on t.application_id = d.application_id
  join automation_schedules s on s.automation_id = d.automation_id
  join automations a on a.id = s.automation_id
  join applications p on p.id = s.application_id
where s.next_at <= now() and (s.retry_at is null or s.retry_at <= now())
order by t.at nulls first, coalesce(s.retry_at, s.next_at)
limit 1
for update of s skip locked

-- name: put-off-schedule
-- After a minute, then five, then 15.
update automation_schedules
set retry_at = now() + (array[1, 5, 15])[least(failures + 1, 3)] * interval '1 minute',
  failures = least(failures + 1, 3), tried_at = now()
where automation_id = $1

-- name: move-schedule
-- $1 automation, $2 when it comes next, in milliseconds, $3 instants that were left out, the last
-- first, $4 the zone of the application
update automation_schedules s
set next_at = to_timestamp($2::float8 / 1000), zone = $4, retry_at = null, failures = 0,
  tried_at = now(), missed = jsonb_path_query_array($3::jsonb || s.missed, '$[0 to 19]')
where s.automation_id = $1

-- name: lock-moved-zone
-- A schedule of the application's clock, which shows another time by now. What is due stays so.
select s.automation_id, s.schedule, p.settings ->> 'timeZone' as zone,
  floor(extract(epoch from now()) * 1000)::float8 as now
from automation_schedules s join applications p on p.id = s.application_id
where s.next_at > now()
  and not s.schedule ? 'timeZone'
  and s.zone is distinct from p.settings ->> 'timeZone'
limit 1
for update of s skip locked

-- name: put-zone
-- $1 automation, $2 when it comes next, in milliseconds, $3 the zone of the application
update automation_schedules
set next_at = to_timestamp($2::float8 / 1000), zone = $3
where automation_id = $1

-- name: delete-archived-schedules
delete from automation_schedules s
where s.automation_id = any (
  array (
    select o.automation_id
    from automation_schedules o join automations a on a.id = o.automation_id
    where a.archived_at is not null
    limit $1
    for update of o skip locked
  )
)

-- name: delete-schedule
delete from automation_schedules where automation_id = $1
