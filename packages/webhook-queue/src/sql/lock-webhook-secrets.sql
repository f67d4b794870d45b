select sealed_secrets as sealed
from webhook_endpoints
where
  id = $2
  and application_id = $1
for update
