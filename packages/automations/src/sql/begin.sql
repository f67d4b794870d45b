-- name: refuse-runs
-- Runs that the filter does not let in have not been.
with refused as (
  delete from automation_runs r where r.id = any($1::uuid[]) returning r.id
),
timer as (
  delete from automation_timers t using refused x where t.run_id = x.id
)
update automation_triggers t
set result = 'filter', run_id = null
from automation_runs r
where r.id = any($1::uuid[])
  and t.automation_id = r.automation_id
  and t.request_id = r.trigger_request
  and t.message_index = r.trigger_index

-- name: note-entries
-- Runs of one person and key do not enter at once: they follow each other.
insert into automation_entries as e (
  automation_id, user_id, entry_key, application_id, last_entered_at, entries
)
select r.automation_id, r.user_id, r.entry_key, r.application_id, now(), 1
from automation_runs r
where r.id = any($1::uuid[])
on conflict (automation_id, user_id, entry_key) do update
set last_entered_at = excluded.last_entered_at, entries = e.entries + 1
