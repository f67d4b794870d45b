select
  hour::text as hour,
  sum(events)::text as events
from definition_hours
where
  application_id = $1
  and slug = $2
group by hour
