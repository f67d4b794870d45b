-- name: read-listened
-- Versions that people enter, or that have runs. Events of a pause are listed as such.
select a.status in ('active', 'paused') and v.version = a.live_version as "entersPeople",
  v.definition
from automations a join automation_versions v on v.automation_id = a.id
where a.application_id = $1
  and a.archived_at is null
  and (
    (a.status in ('active', 'paused') and v.version = a.live_version)
    or -- include: segments/has-runs(v, a)
  )
