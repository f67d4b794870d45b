with
  moved as (
    update campaigns
    set status = 'sending'
    where id = $1
    returning id
  )
insert into campaign_events (campaign_id, type, detail)
select
  id,
  'campaign.resumed',
  $2::text
from moved
