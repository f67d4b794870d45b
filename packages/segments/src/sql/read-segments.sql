select
  s.slug,
  s.name,
  s.condition,
  s.version,
  s.created_at,
  s.updated_at,
  s.updated_by
from segments s
where
  s.application_id = $1
  and s.archived_at is null
order by s.slug
