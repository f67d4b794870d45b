with
  moved as (
    update campaigns
    set status = 'failed'
    where
      id = $1
      and lane = 'snapshot'
      and status = 'queued'
    returning id
  )
insert into campaign_events (campaign_id, type, detail)
select
  id,
  'campaign.failed',
  $2::text
from moved
