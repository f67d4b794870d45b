select
  id,
  application_id
from users
where
  registered_at is null
  and merged_into is null
  and updated_at < $1
order by updated_at
limit $2
