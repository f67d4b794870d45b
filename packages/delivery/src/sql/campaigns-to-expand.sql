select id
from campaigns
where
  lane = 'express'
  and status in ('queued', 'sending')
  and expanded_at is null
  and (
    source <> 'api'
    or created_at < now() - $1::float8 * interval '1 ms'
  )
order by id
limit 1000
