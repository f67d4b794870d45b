-- name: replay-webhook-delivery
with original as (
  select d.*, e.status
  from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
  where d.id = $3 and d.endpoint_id = $2 and d.application_id = $1
),
made as (
  insert into webhook_deliveries (
    endpoint_id, application_id, event_id, type, occurred_at, data, replay_of
  )
  select endpoint_id, application_id, event_id, type, occurred_at, data, id
  from original
  where state <> 'pending' and status = 'enabled'
  returning id
)
select o.state, o.status, m.id
from original o left join made m on true

-- name: queue-webhook-ping
with endpoint as (
  select id, application_id, status from webhook_endpoints where id = $2 and application_id = $1
),
made as (
  insert into webhook_deliveries (endpoint_id, application_id, event_id, type, occurred_at, data)
  select id, application_id, $3, 'webhook.ping', now(), '{}'
  from endpoint
  where status = 'enabled'
  returning id
)
select e.status, m.id
from endpoint e left join made m on true
