-- name: has-automations-of-people
-- A step that has not committed may be about to enter them: what they have in automations by now
-- does not tell.
select
from users u join automations a on a.application_id = u.application_id
where u.id = any($1::uuid[])
limit 1

-- name: delete-runs-of-people
-- Returns those that were on their way, with the node where they waited.
with gone as (
  delete from automation_runs r
  where r.user_id = any($1::uuid[])
  returning r.id, r.automation_id, r.application_id, r.version, r.shard, r.status, r.lines,
    floor(extract(epoch from r.entered_at) * 1000)::float8 as entered_at,
    case when r.waits_until is not null then r.node end as node
),
trace as (
  delete from automation_trace t using gone g where t.run_id = g.id
),
timers as (
  delete from automation_timers t using gone g where t.run_id = g.id
)
select automation_id, application_id, version, shard, node, entered_at
from gone
where status = 'active' and lines > 0

-- name: delete-rest-of-people
with waits as (
  delete from automation_waits w where w.user_id = any($1::uuid[])
),
dates as (
  delete from automation_dates d where d.user_id = any($1::uuid[])
),
entries as (
  delete from automation_entries e where e.user_id = any($1::uuid[])
)
delete from automation_triggers t where t.user_id = any($1::uuid[])
