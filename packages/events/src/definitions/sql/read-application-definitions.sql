select
  application_id,
  kind,
  name,
  slug,
  discarded,
  merged_into,
  deleted_at is not null as is_deleted
from definitions
where application_id = any($1)
