delete from delivery_data x
using
  deliveries d
where
  d.id = any($1::uuid[])
  and x.campaign_id = d.campaign_id
  and x.delivery_id = d.id
