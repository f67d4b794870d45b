-- name: read-funnels
select f.slug, f.name, f.definition, f.version, f.created_at, f.updated_at, f.updated_by
from funnels f
where f.application_id = $1 and f.archived_at is null
order by f.slug

-- name: lock-funnels
select pg_advisory_xact_lock(hashtextextended('funnels of ' || $1::text, 0))

-- name: write-funnel
with written as (
  insert into funnels as f (application_id, slug, name, definition, version, updated_by)
  values ($1, $2, $3, $4::jsonb, 1, $5)
  on conflict (application_id, slug) do update
  set name = excluded.name, definition = excluded.definition, version = f.version + 1,
    updated_at = now(), updated_by = excluded.updated_by, archived_at = null
  returning f.application_id, f.slug, f.version, f.name, f.definition, f.updated_by
)
insert into funnel_versions (application_id, slug, version, name, definition, created_by)
select application_id, slug, version, name, definition, updated_by
from written

-- name: list-funnel-versions
select v.version, v.name, v.definition, v.created_at, v.created_by
from funnel_versions v
where v.application_id = $1 and v.slug = $2 and v.version < $3
order by v.version desc
limit $4

-- name: archive-funnel
update funnels
set archived_at = now(), updated_at = now(), updated_by = $3
where application_id = $1 and slug = $2 and archived_at is null
