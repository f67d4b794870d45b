with
  moved as (
    update campaigns
    set
      status = 'failed',
      failure_reason = 'expired'
    where
      lane = 'snapshot'
      and status = 'queued'
      and expires_at <= now()
    returning id
  )
insert into campaign_events (campaign_id, type, reason, detail)
select
  id,
  'campaign.failed',
  'expired',
  'The campaign expired before its recipients were read.'
from moved
