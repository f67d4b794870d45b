select id
from campaigns
where
  lane = 'snapshot'
  and status = 'queued'
order by id
limit 100
