select distinct request_id
from dead_letters
where
  application_id = $1
  and record_key = $2
  and request_id is not null
limit 1000
