select distinct on (application_id)
  id
from campaigns
where
  lane = 'snapshot'
  and status = 'queued'
  and id <> all($1::uuid[])
order by
  application_id,
  id
