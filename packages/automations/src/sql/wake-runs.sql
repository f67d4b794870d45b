-- name: unpark-runs
-- Of automations that are not paused any more. $1 an automation, or null for all, $2 number
with parked as (
  select t.run_id, t.due_at, a.skips_missed
  from automations a join automation_timers t on t.automation_id = a.id and t.is_parked
  where a.status <> 'paused' and ($1::uuid is null or a.id = $1)
  limit $2
  for update of t
),
late as (
  update automation_runs r
  set skips_sends = true
  from parked p
  where p.skips_missed and r.id = p.run_id and p.due_at < now() - interval '1 hour'
)
update automation_timers t set is_parked = false from parked p where t.run_id = p.run_id

-- name: wake-runs
-- Those that are to move to a newer version, or to end. $1 and $2 as above
with asleep as (
  select t.run_id
  from automations a
    cross join lateral (
      select t.run_id
      from automation_runs r join automation_timers t on t.run_id = r.id
      where r.automation_id = a.id
        and r.status = 'active'
        and (r.version < a.moved_to or r.entered_at <= a.ends_before)
        and t.due_at > now()
      limit $2
    ) t
  where a.wakes_until is not null and ($1::uuid is null or a.id = $1)
  limit $2
)
update automation_timers t
set due_at = now()
from asleep s
where t.run_id = s.run_id and t.due_at > now()

-- name: end-waking
-- A minute after the change no transaction is left that knew it not.
update automations set wakes_until = null where wakes_until < now()
