select
  application_id as "applicationId",
  before::text as before,
  before > '-infinity' as "hasEvents",
  arrivals_slug as slug
from event_recounts
where
  before > '-infinity'
  or arrivals_before is not null
order by application_id
limit 1
