select 1
from refused_requests
where
  request_id = $1
  and application_id = $2
