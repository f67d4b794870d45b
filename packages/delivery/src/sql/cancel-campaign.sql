with
  moved as (
    update campaigns
    set status = 'canceled'
    where id = $1
    returning id
  )
insert into campaign_events (campaign_id, type, detail)
select
  id,
  'campaign.canceled',
  $2::text
from moved
