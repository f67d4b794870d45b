-- name: mark-snapshot-slow
with moved as (
  update campaigns
  set snapshot_tries = snapshot_tries - 1, snapshot_tried_at = null,
    snapshot_slow_at = clock_timestamp()
  where id = $1 and lane = 'snapshot' and status = 'queued' and snapshot_slow_at is null
  returning id
)
insert into campaign_events (campaign_id, type, detail)
select id, 'campaign.snapshot_slow', $2::text
from moved

-- name: lock-snapshot
select pg_try_advisory_xact_lock(hashtextextended('snapshot of ' || $1::text, 0)) as is_locked

-- name: finish-snapshot
-- Not `now()`, which is when the transaction began: it may have expired since.
with moved as (
  update campaigns
  set lane = $2, recipients_requested = $3, recipients_unique = $3, audience = $4::jsonb,
    snapshot_at = now()
  where id = $1 and lane = 'snapshot' and status = 'queued' and expires_at > clock_timestamp()
  returning id
)
insert into campaign_events (campaign_id, type)
select id, 'campaign.snapshot_taken'
from moved

-- name: fail-snapshot
with moved as (
  update campaigns
  set status = 'failed', failure_reason = $2
  where id = $1 and lane = 'snapshot' and status = 'queued'
  returning id
)
insert into campaign_events (campaign_id, type, reason, detail)
select id, 'campaign.failed', $2, $3::text
from moved
