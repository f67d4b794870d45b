-- name: log-delivery-event
insert into campaign_events (
  campaign_id, type, delivery_id, attempt, status, provider_code, detail, channel, bounce
)
select d.campaign_id, $2, d.id, d.attempts, d.state, $3, $4, $5, $6::jsonb
from deliveries d
where d.id = $1
