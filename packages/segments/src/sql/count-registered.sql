select count(*)::int as registered
from users u
where
  u.application_id = $1
  and u.registered_at is not null
