select
  d.delivery_id as "deliveryId",
  d.address_no as "addressNo",
  d.doubts
from
  campaigns c
  join delivery_addresses d on d.campaign_id = c.id
    and d.chunk_no = any($2)
  join deliveries o on o.id = d.delivery_id
where
  c.id = $1
  and c.channel in ('WEB_PUSH', 'APP_PUSH')
  and d.state in ('pending', 'claimed', 'retry_wait', 'waiting')
order by o.id
for update of o skip locked
