select
  channel,
  address,
  reason
from suppressions
where
  id = $2
  and application_id = $1
