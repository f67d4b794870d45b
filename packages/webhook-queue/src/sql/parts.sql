-- part: endpoints-with-due-webhooks
-- In the order of the index of due rows, so that the planner cannot choose an index over the whole
-- log.
waiting(endpoint_id) as (
  (
    select endpoint_id
    from webhook_deliveries
    where state = 'pending'
    order by endpoint_id, next_at
    limit 1
  )
  union all
  select (
    select d.endpoint_id
    from webhook_deliveries d
    where d.state = 'pending' and d.endpoint_id > w.endpoint_id
    order by d.endpoint_id, d.next_at
    limit 1
  )
  from waiting w
  where w.endpoint_id is not null
)
