select
  application_id,
  audience,
  send_at_local is not null as is_local
from campaigns
where
  id = $1
  and lane = 'snapshot'
  and status = 'queued'
  and expires_at > now()
