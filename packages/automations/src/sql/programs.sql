-- name: read-versions
-- $1 automations, $2 versions
select v.automation_id, v.version, v.definition
from unnest($1::uuid[], $2::int[]) as x(automation_id, version)
  join automation_versions v on v.automation_id = x.automation_id and v.version = x.version
