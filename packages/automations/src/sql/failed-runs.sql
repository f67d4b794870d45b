-- name: count-failed-runs
select coalesce(sum(c.n), 0)::float8 as failed
from automation_versions v
  join automation_counters c on c.automation_id = v.automation_id
    and c.version = v.version
    and c.node = ''
    and c.outcome = 'failed'
