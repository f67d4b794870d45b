-- name: lock-run
select r.id, r.status, r.shard, r.application_id, r.automation_id, r.version,
  floor(extract(epoch from r.entered_at) * 1000)::float8 as entered_at,
  case when r.waits_until is not null then r.node end as node
from automation_runs r
where r.automation_id = $1 and r.id = $2
for update

-- name: ask-to-end
-- The engine ends it at its next step.
update automation_runs set end_requested = true where id = $1

-- name: begin-again
update automation_runs
set status = 'active', ended_at = null, failures = 0, error = null, end_requested = false
where id = $1

-- name: make-due
insert into automation_timers as t (run_id, shard, application_id, automation_id, due_at)
values ($1, $2, $3, $4, now())
on conflict (run_id) do update
set due_at = now(), is_parked = false

-- name: has-other-run
select exists (
  select
  from automation_runs r join automation_runs o on o.automation_id = r.automation_id
    and o.user_id = r.user_id
    and o.entry_key = r.entry_key
    and o.ended_at is null
    and o.id <> r.id
  where r.id = $1
) as "hasOther"
