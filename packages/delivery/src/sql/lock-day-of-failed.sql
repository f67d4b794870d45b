select
from daily_sends
where
  application_id = $1
  and channel = $2
  and day = $3
for update
