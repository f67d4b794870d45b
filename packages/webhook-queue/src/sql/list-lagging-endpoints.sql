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
  e.application_id as "applicationId",
  e.id as "endpointId",
  extract(
    epoch
    from now() - b.since
  )::float8 as seconds
from
  waiting w
  join webhook_endpoints e on e.id = w.endpoint_id
    and e.status = 'enabled'
  left join lateral (
    select next_at
    from webhook_deliveries
    where
      endpoint_id = e.id
      and state = 'pending'
      and next_at <= now()
    order by next_at
    limit 1
  ) d on true
  cross join lateral (
    select least(d.next_at, e.failing_since) as since
  ) b
where b.since < now() - $1::float8 * interval '1 s'
order by
  b.since,
  e.id
limit $2
