-- name: count-active-runs
select coalesce(sum(case c.outcome when 'entered' then c.n else -c.n end), 0)::float8 as active
from automations a join automation_counters c on c.automation_id = a.id
where a.application_id = $1
  and c.node = ''
  and c.outcome in ('entered', 'completed', 'exited', 'failed')
