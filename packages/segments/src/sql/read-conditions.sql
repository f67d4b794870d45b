select
  slug,
  condition
from segments
where
  application_id = $1
  and archived_at is null
