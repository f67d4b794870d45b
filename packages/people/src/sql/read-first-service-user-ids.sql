select
  id,
  first_service_user_id as first
from users
where
  id = any($1)
  and first_service_user_id is not null
