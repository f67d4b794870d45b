-- name: queue-subscription-change
insert into webhook_deliveries (endpoint_id, application_id, event_id, type, occurred_at, data)
select w.endpoint_id, $1, $2, $3, now(),
  jsonb_build_object(
    'channel', $4::text, 'customUserId', $5::text, 'serviceUserId', $6::text, 'status', $7::text
  )
from webhook_endpoints_for($1, $3, $4) w
