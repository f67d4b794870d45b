-- name: list-trials
-- Some automations have the word in a message alone. $1 after an automation, $2 limit
select a.id, a.application_id, v.version
from automations a
  join automation_versions v on v.automation_id = a.id and v.version = a.live_version
where a.status = 'active'
  and a.archived_at is null
  and ($1::uuid is null or a.id > $1)
  and v.definition @? '$.nodes.**.winner'
order by a.id
limit $2
