select service_user_id as id
from user_identities
where user_id = any($1)
limit 1000
