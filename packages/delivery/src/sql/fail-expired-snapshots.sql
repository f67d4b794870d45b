with
  moved as (
    update campaigns
    set status = 'failed'
    where
      lane = 'snapshot'
      and status = 'queued'
      and expires_at <= now()
    returning id
  )
insert into campaign_events (campaign_id, type, detail)
select
  id,
  'campaign.failed',
  'The campaign expired before its recipients were read.'
from moved
