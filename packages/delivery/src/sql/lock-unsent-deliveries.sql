select row.*
from
  campaign_chunks k
  cross join lateral (
    select
      d.id as "deliveryId",
      d.doubts
    from deliveries d
    where
      d.addressed_at is null
      and d.campaign_id = k.campaign_id
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
    for update of d skip locked
  ) row
where
  k.campaign_id = any($1)
  and k.due_at is not null
limit $2
