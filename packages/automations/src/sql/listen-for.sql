-- name: read-listened
-- Versions that people enter, or that have runs. Events of a pause are listed as such.
select a.status in ('active', 'paused') and v.version = a.live_version as "entersPeople",
  v.definition
from automations a join automation_versions v on v.automation_id = a.id
where a.application_id = $1
  and a.archived_at is null
  and (
    (a.status in ('active', 'paused') and v.version = a.live_version)
    -- The next version that has runs, one look into the index: Postgres answers an equality from all
    -- runs, of which it thinks that any may have the version.
    or v.version = (
      select r.version
      from automation_runs r
      where r.automation_id = a.id and r.version >= v.version and r.ended_at is null
      order by r.version
      limit 1
    )
  )
