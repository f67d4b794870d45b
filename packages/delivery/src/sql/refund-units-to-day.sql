update daily_sends
set units = greatest(0, units - $4)
where
  application_id = $1
  and channel = $2
  and day = $3
