select c.id
from
  slow_snapshots s
  join campaigns c on c.id = s.campaign_id
where
  c.lane = 'snapshot'
  and c.status = 'queued'
  and c.expires_at > now()
  and (
    c.snapshot_tries >= $2
    or c.snapshot_tried_at is null
    or c.snapshot_tried_at > now()
    or c.snapshot_tried_at < now() - c.snapshot_tries * $1::float8 * interval '1 ms'
  )
order by
  s.since,
  s.application_id
limit 1
