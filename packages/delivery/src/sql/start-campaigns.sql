with
  started as (
    update campaigns
    set
      status = 'sending',
      started_at = now()
    where
      id = any($1)
      and status in ('queued')
    returning id
  )
insert into campaign_events (campaign_id, type, detail)
select
  id,
  'campaign.started',
  null::text
from started
