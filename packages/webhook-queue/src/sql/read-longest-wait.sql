with recursive
  waiting(endpoint_id) as (
    (
      select endpoint_id
      from webhook_deliveries
      where state = 'pending'
      order by
        endpoint_id,
        next_at
      limit 1
    )
    union all
    select
      (
        select d.endpoint_id
        from webhook_deliveries d
        where
          d.state = 'pending'
          and d.endpoint_id > w.endpoint_id
        order by
          d.endpoint_id,
          d.next_at
        limit 1
      )
    from waiting w
    where w.endpoint_id is not null
  )
select
  coalesce(
    max(
      extract(
        epoch
        from now() - greatest(d.next_at, e.attempted_at)
      )
    ),
    0
  )::float8 as seconds
from
  waiting w
  join webhook_endpoints e on e.id = w.endpoint_id
    and e.status = 'enabled'
  cross join lateral (
    select next_at
    from webhook_deliveries
    where
      endpoint_id = e.id
      and state = 'pending'
      and next_at <= now()
    order by next_at
    limit 1
  ) d
