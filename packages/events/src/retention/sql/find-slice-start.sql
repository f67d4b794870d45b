select received_at::text as "from"
from events
where
  application_id = $1
  and received_at < $2::timestamptz
order by received_at desc
offset
  $3
limit 1
