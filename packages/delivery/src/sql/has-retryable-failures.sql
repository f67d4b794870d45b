select 1
from deliveries d
where
  d.campaign_id = $1
  and d.state = 'failed'
  and d.sent_at is null
  and d.provider_id is null
  and d.doubts = 0
limit 1
