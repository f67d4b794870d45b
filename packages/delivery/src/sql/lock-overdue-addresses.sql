select
  row.*,
  c.channel,
  (a.settings -> 'resendOnUnknown' ->> c.channel)::boolean as resend
from
  campaign_chunks k
  join campaigns c on c.id = k.campaign_id
    and c.channel in ('WEB_PUSH', 'APP_PUSH')
  join applications a on a.id = c.application_id
  cross join lateral (
    select
      d.delivery_id as "deliveryId",
      d.address_no as "addressNo",
      d.fence,
      d.campaign_id,
      d.chunk_no,
      d.doubts,
      o.test_address is not null as is_test,
      d.updated_at > statement_timestamp() + interval '60 s' as is_ahead
    from
      delivery_addresses d
      join deliveries o on o.id = d.delivery_id
    where
      d.campaign_id = k.campaign_id
      and d.chunk_no = k.chunk_no
      and d.state = 'sending'
      and (
        d.lease_until < now()
        or d.updated_at > statement_timestamp() + interval '60 s'
      )
    order by
      o.id,
      d.address_no
    limit $1
    for update of o skip locked
  ) row
where k.leased_until < now()
limit $1
