select
  min(cause) as cause,
  min(opened_at) as opened_at,
  min(probe_at) as probe_at,
  count(distinct owner)::int as workers
from channel_breakers
where
  application_id = $1
  and channel = $2
  and version = $3
  and probe_at > now() - $4::float8 * interval '1 ms'
having count(*) > 0
