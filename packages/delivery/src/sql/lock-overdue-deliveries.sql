select
  row.*,
  c.channel,
  (a.settings -> 'resendOnUnknown' ->> c.channel)::boolean as resend
from
  campaign_chunks k
  join campaigns c on c.id = k.campaign_id
  join applications a on a.id = c.application_id
  cross join lateral (
    select
      d.id as "deliveryId",
      d.fence,
      d.campaign_id,
      d.chunk_no,
      d.doubts,
      d.test_address is not null as is_test,
      d.updated_at > statement_timestamp() + interval '60 s' as is_ahead
    from deliveries d
    where
      d.campaign_id = k.campaign_id
      and d.chunk_no = k.chunk_no
      and d.state = 'sending'
      and (
        d.lease_until < now()
        or d.updated_at > statement_timestamp() + interval '60 s'
      )
    order by d.id
    limit $1
    for update of d skip locked
  ) row
where k.leased_until < now()
limit $1
