-- The campaign gets its original time to live again, from now.
with
  moved as (
    update campaigns
    set
      status = 'sending',
      expires_at = now() + (expires_at - coalesce(retried_at, greatest(created_at, send_at))),
      retried_at = now(),
      completed_at = null,
      p50_ms = null,
      p95_ms = null
    where id = $1
    returning id
  )
insert into campaign_events (campaign_id, type, detail)
select
  id,
  'campaign.retried',
  $2::text
from moved
