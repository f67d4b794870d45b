select count(*)::int as campaigns
from campaigns
where
  lane = 'snapshot'
  and status = 'queued'
  and snapshot_slow_at is not null
