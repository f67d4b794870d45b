insert into
  campaign_events (campaign_id, type, delivery_id, attempt, status, provider_code, detail, channel)
select
  d.campaign_id,
  $2,
  d.id,
  d.attempts,
  d.state,
  $3,
  $4,
  $5
from deliveries d
where d.id = $1
