with
  endpoint as (
    select
      id,
      application_id,
      status
    from webhook_endpoints
    where
      id = $2
      and application_id = $1
  ),
  made as (
    insert into webhook_deliveries (endpoint_id, application_id, event_id, type, occurred_at, data)
    select
      id,
      application_id,
      $3,
      'webhook.ping',
      now(),
      '{}'
    from endpoint
    where status = 'enabled'
    returning id
  )
select
  e.status,
  m.id
from
  endpoint e
  left join made m on true
