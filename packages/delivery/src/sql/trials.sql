-- name: log-decision
with moved as (
  update campaigns
  set expires_at = greatest(
    expires_at,
    now() + (expires_at - coalesce(retried_at, greatest(created_at, send_at)))
  )
  where id = $1
  returning id
)
insert into campaign_events (campaign_id, type, detail)
select id, 'campaign.decided', $2::text
from moved

-- name: release-rest
with opened as (
  -- include: reopened-chunks($1)
)
update campaigns set expanded_at = null where id = $1
