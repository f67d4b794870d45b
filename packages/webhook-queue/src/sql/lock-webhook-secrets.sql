select sealed_secrets as encrypted
from webhook_endpoints
where
  id = $2
  and application_id = $1
for update
