with
  moved as (
    update campaigns
    set
      status = 'failed',
      failure_reason = $2
    where
      id = $1
      and lane = 'snapshot'
      and status = 'queued'
    returning id
  )
insert into campaign_events (campaign_id, type, reason, detail)
select
  id,
  'campaign.failed',
  $2,
  $3::text
from moved
