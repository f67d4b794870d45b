-- name: campaigns-to-snapshot
-- Those with a `snapshot_slow_at` are in the slow lane. One whose tries are used up is to fail.
select distinct on (application_id) id, application_id as "applicationId"
from campaigns
where lane = 'snapshot'
  and status = 'queued'
  and expires_at > now()
  and snapshot_slow_at is null
  and (
    snapshot_tries >= $4
    or snapshot_tried_at is null
    or snapshot_tried_at > now()
    or snapshot_tried_at < now() - snapshot_tries * $3::float8 * interval '1 ms'
  )
  and id <> all($1::uuid[])
  and application_id <> all($2::uuid[])
order by application_id, id

-- name: begin-snapshot-try
update campaigns
set snapshot_tries = snapshot_tries + 1, snapshot_tried_at = now()
where id = $1
  and lane = 'snapshot'
  and status = 'queued'
  and expires_at > now()
  and (snapshot_slow_at is not null) = $2
  and (
    snapshot_tries >= $4
    or snapshot_tried_at is null
    or snapshot_tried_at > now()
    or snapshot_tried_at < now() - snapshot_tries * $3::float8 * interval '1 ms'
  )
returning application_id as "applicationId", audience,
  case
    when send_at_local is not null then 'local'
    when winner is not null then 'trial'
  end as "ownLane",
  snapshot_tries as tries

-- name: is-awaiting-snapshot
select exists (
  select 1
  from campaigns
  where id = $1 and lane = 'snapshot' and status = 'queued' and expires_at > now()
) as is_awaiting

-- name: fail-expired-snapshots
with moved as (
  update campaigns
  set status = 'failed', failure_reason = 'expired'
  where lane = 'snapshot' and status = 'queued' and expires_at <= now()
  returning id
)
insert into campaign_events (campaign_id, type, reason, detail)
select id, 'campaign.failed', 'expired', 'The campaign expired before its recipients were read.'
from moved

-- name: return-snapshot-try
update campaigns
set snapshot_tries = snapshot_tries - 1, snapshot_tried_at = null
where id = $1 and lane = 'snapshot' and snapshot_tries > 0
