with
  moved as (
    update campaigns
    set
      snapshot_tries = snapshot_tries - 1,
      snapshot_tried_at = null,
      snapshot_slow_at = clock_timestamp()
    where
      id = $1
      and lane = 'snapshot'
      and status = 'queued'
      and snapshot_slow_at is null
    returning id
  )
insert into campaign_events (campaign_id, type, detail)
select
  id,
  'campaign.snapshot_slow',
  $2::text
from moved
