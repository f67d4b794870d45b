-- part: has-runs(v, a)
-- The next version of the automation that has runs in progress is this one: one look into an index.
-- Postgres answers an equality from all runs, of which it thinks that any may have the version.
v.version = (
  select r.version
  from automation_runs r
  where r.automation_id = a.id and r.version >= v.version and r.status = 'active'
  order by r.version
  limit 1
)

-- part: is-in-use(v, a)
-- A version of an automation that people enter or are in.
(
  v.version = a.live_version
  or -- include: has-runs(v, a)
)

-- name: read-automations-with-conditions
-- Drafts, and versions that people enter or are in.
select a.slug, a.name, a.draft as definition
from automations a
where a.application_id = $1 and a.archived_at is null
union all
select a.slug, a.name, v.definition
from automations a join automation_versions v on v.automation_id = a.id
where a.application_id = $1
  and a.archived_at is null
  and -- include: is-in-use(v, a)
order by slug

-- name: read-template-conditions
select t.slug, t.name, v.variant -> 'condition' as condition
from templates t cross join jsonb_array_elements(t.content -> 'variants') as v(variant)
where t.application_id = $1 and t.archived_at is null
order by t.slug

-- name: read-waiting-audiences
select c.id, c.audience
from campaigns c
where c.application_id = $1
  and c.status = 'queued'
  and c.audience is not null
  and c.snapshot_at is null
order by c.id
