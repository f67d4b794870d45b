-- The oldest of each application that does not stand in the lane yet.
insert into slow_snapshots (application_id, campaign_id)
select distinct on (application_id)
  application_id,
  id
from campaigns
where
  lane = 'snapshot'
  and status = 'queued'
  and snapshot_slow_at is not null
order by
  application_id,
  snapshot_slow_at,
  id
on conflict (application_id) do nothing
