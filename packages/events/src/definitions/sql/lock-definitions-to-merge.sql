select
  slug,
  kind,
  merged_into,
  discarded
from definitions
where
  application_id = $1
  and slug = any($2)
  and deleted_at is null
