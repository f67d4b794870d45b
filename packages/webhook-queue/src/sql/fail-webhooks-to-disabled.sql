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
  ),
  orphans as (
    select d.id
    from
      waiting w
      left join webhook_endpoints e on e.id = w.endpoint_id
      cross join lateral (
        select id
        from webhook_deliveries
        where
          endpoint_id = w.endpoint_id
          and state = 'pending'
          and (
            lease_until is null
            or lease_until < now()
          )
        order by next_at
        limit $1
        for update skip locked
      ) d
    where
      w.endpoint_id is not null
      and (
        e.id is null
        or e.status = 'disabled'
      )
    limit $1
  )
update webhook_deliveries d
set
  state = 'failed',
  reason = 'endpoint_disabled',
  settled_at = now(),
  lease_until = null
from orphans
where d.id = orphans.id
