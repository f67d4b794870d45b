with
  written as (
    insert into segments as s (
      application_id,
      slug,
      name,
      condition,
      version,
      updated_by
    )
    values
      ($1, $2, $3, $4::jsonb, 1, $5)
    on conflict (application_id, slug) do update
    set
      name = excluded.name,
      condition = excluded.condition,
      version = s.version + 1,
      updated_at = now(),
      updated_by = excluded.updated_by,
      archived_at = null
    returning
      s.application_id,
      s.slug,
      s.version,
      s.name,
      s.condition,
      s.updated_by
  )
insert into segment_versions (
  application_id,
  slug,
  version,
  name,
  condition,
  created_by
)
select
  application_id,
  slug,
  version,
  name,
  condition,
  updated_by
from written
