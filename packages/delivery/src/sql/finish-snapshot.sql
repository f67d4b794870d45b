-- Not `now()`, which is when the transaction began: it may have expired since.
with
  moved as (
    update campaigns
    set
      lane = $2,
      recipients_requested = $3,
      recipients_unique = $3,
      audience = $4::jsonb,
      snapshot_at = now()
    where
      id = $1
      and lane = 'snapshot'
      and status = 'queued'
      and expires_at > clock_timestamp()
    returning id
  )
insert into campaign_events (campaign_id, type)
select
  id,
  'campaign.snapshot_taken'
from moved
