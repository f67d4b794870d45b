-- name: lock-person-in-automation
-- Requests for one person follow each other.
select pg_advisory_xact_lock(hashtextextended($1::text || ' ' || $2::text, 0))

-- name: find-registered-person
-- Not deleted until the run is stored.
select u.id from users u
where u.application_id = $1 and u.custom_user_id = $2 and u.registered_at is not null
for key share

-- name: hold-automation
-- Not paused, stopped or deleted until the run is stored. $1 automation, $2 its version
select from automations a
where a.id = $1 and a.live_version = $2 and a.status = 'active'
for share

-- name: read-earlier-request
select t.run_id, t.body_hash
from automation_triggers t
where t.automation_id = $1 and t.request_id = $2 and t.message_index = 0

-- name: read-entries
select
  (
    select floor(extract(epoch from e.last_entered_at) * 1000)::float8
    from automation_entries e
    where e.automation_id = $1 and e.user_id = $2 and e.entry_key = $3
  ) as last_entered,
  exists (
    select
    from automation_runs r
    where r.automation_id = $1
      and r.user_id = $2
      and r.entry_key = $3
      and r.ended_at is null
  ) as is_running,
  -- By the index by person, also before the first statistics: see read-earlier-entries.
  (
    select count(*)::int
    from (
      select r.entry_key
      from automation_runs r
      where r.automation_id = $1 and r.user_id = $2 and r.ended_at is null
      order by r.entry_key
      offset 0
    ) own
  ) as runs

-- name: insert-run
-- $1 id, $2 application, $3 automation, $4 version, $5 user, $6 key, $7 shard, $8 data
insert into automation_runs (
  id, application_id, automation_id, version, user_id, entry_key, shard, data, trigger_time
)
values (
  $1, $2, $3, $4, $5, $6, $7, $8::jsonb, floor(extract(epoch from now()) * 1000)::bigint
)

-- name: insert-timer
insert into automation_timers (run_id, shard, application_id, automation_id, due_at)
values ($1, $2, $3, $4, now())

-- name: note-request
insert into automation_triggers (
  automation_id, request_id, message_index, application_id, user_id, result, run_id, body_hash
)
values ($1, $2, 0, $3, $4, 'entered', $5, $6)
