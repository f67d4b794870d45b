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
-- $1 automation, $2 application, $3 schedule, $4 when it comes next, in milliseconds
insert into automation_schedules as s (automation_id, application_id, schedule, next_at)
values ($1, $2, $3::jsonb, to_timestamp($4::float8 / 1000))
on conflict (automation_id) do update
set schedule = excluded.schedule, next_at = excluded.next_at, retry_at = null

-- name: lock-due-schedule
-- One that another process has is passed over.
select s.automation_id, s.application_id,
  floor(extract(epoch from s.next_at) * 1000)::float8 as at,
  case when a.archived_at is null then a.status else 'archived' end as status,
  floor(extract(epoch from a.activated_at) * 1000)::float8 as activated_at,
  p.settings ->> 'timeZone' as zone,
  (
    select v.definition
    from automation_versions v
    where v.automation_id = a.id and v.version = a.live_version
  ) as definition,
  floor(extract(epoch from now()) * 1000)::float8 as now
from automation_schedules s
  join automations a on a.id = s.automation_id
  join applications p on p.id = s.application_id
where s.next_at <= now() and (s.retry_at is null or s.retry_at <= now())
order by s.next_at
limit 1
for update of s skip locked

-- name: put-off-schedule
update automation_schedules
set retry_at = now() + $2 * interval '1 ms'
where automation_id = $1

-- name: move-schedule
-- $1 automation, $2 when it comes next, in milliseconds, $3 instants that were left out
update automation_schedules s
set next_at = to_timestamp($2::float8 / 1000), retry_at = null,
  missed = jsonb_path_query_array($3::jsonb || s.missed, '$[0 to 19]')
where s.automation_id = $1

-- name: delete-schedule
delete from automation_schedules where automation_id = $1
