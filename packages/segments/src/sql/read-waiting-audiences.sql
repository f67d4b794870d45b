select
  c.id,
  c.audience
from campaigns c
where
  c.application_id = $1
  and c.status = 'queued'
  and c.audience is not null
  and c.snapshot_at is null
order by c.id
