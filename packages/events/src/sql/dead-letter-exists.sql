select 1
from dead_letters
where
  id = $1
  and (
    application_id = $2
    or (
      $3
      and application_id is null
    )
  )
