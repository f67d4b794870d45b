select
  d.id,
  d.channel,
  d.state
from deliveries d
where
  d.id = any($1::uuid[])
  and d.application_id = $2
  and (
    d.user_id = $3
    or (
      d.user_id is null
      and d.test_address = $4
    )
  )
