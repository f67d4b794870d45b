select distinct on (application_id)
  id
from campaigns
where
  lane = 'bulk'
  and status in ('queued', 'sending')
  and expanded_at is null
  and id <> all($1::uuid[])
order by
  application_id,
  id
