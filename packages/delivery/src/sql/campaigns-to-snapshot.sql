-- Those with a `snapshot_slow_at` are in the slow lane. One whose tries are used up is to fail.
select distinct on (application_id)
  id,
  application_id as "applicationId"
from campaigns
where
  lane = 'snapshot'
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
order by
  application_id,
  id
