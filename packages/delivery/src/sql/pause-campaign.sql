with
  moved as (
    update campaigns
    set status = 'paused'
    where id = $1
    returning id
  )
insert into campaign_events (campaign_id, type, detail)
select
  id,
  'campaign.paused',
  $2::text
from moved
