select
  count(*) filter (
    where not d.by_client_key
  )::int as server,
  count(*) filter (
    where d.by_client_key
  )::int as client
from definitions d
where
  d.application_id = $1
  and not d.discarded
  and d.merged_into is null
  and d.deleted_at is null
