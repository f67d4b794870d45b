select slug
from definition_hours
where
  application_id = $1
  and slug > $2
order by slug
limit 1
