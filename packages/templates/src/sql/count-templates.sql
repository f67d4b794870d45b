select count(*)::int as count
from templates t
where
  t.application_id = $1
  and t.archived_at is null
