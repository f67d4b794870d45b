update campaigns
set
  snapshot_tries = snapshot_tries + 1,
  snapshot_tried_at = now()
where
  id = $1
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
returning
  application_id as "applicationId",
  audience,
  send_at_local is not null as "isLocal",
  snapshot_tries as tries
