select
  d.id,
  d.channel,
  d.test_address
from
  campaigns c
  join deliveries d on d.campaign_id = c.id
where
  c.application_id = $1
  and c.source = 'test'
  and d.test_address is not null
