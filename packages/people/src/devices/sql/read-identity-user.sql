select user_id
from user_identities
where
  application_id = $1
  and service_user_id = $2
