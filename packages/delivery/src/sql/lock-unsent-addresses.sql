select row.*
from
  campaign_chunks k
  join campaigns c on c.id = k.campaign_id
    and c.channel in ('WEB_PUSH', 'APP_PUSH')
  cross join lateral (
    select
      d.delivery_id as "deliveryId",
      d.address_no as "addressNo",
      d.doubts
    from
      delivery_addresses d
      join deliveries o on o.id = d.delivery_id
    where
      d.campaign_id = k.campaign_id
      and d.chunk_no = k.chunk_no
      and (
        d.state in ('pending', 'retry_wait')
        or (
          d.state = 'claimed'
          and (
            d.lease_until < now()
            or d.updated_at > statement_timestamp() + interval '60 s'
          )
        )
      )
    limit $2
    for update of o skip locked
  ) row
where
  k.campaign_id = any($1)
  and k.due_at is not null
limit $2
