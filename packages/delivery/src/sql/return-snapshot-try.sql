update campaigns
set
  snapshot_tries = snapshot_tries - 1,
  snapshot_tried_at = null
where
  id = $1
  and lane = 'snapshot'
  and snapshot_tries > 0
