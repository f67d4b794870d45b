select
  application_id,
  audience
from campaigns
where
  id = $1
  and lane = 'snapshot'
  and status = 'queued'
  and expires_at > now()
