update dead_letters
set
  status = 'waiting',
  replays = replays + 1,
  updated_at = now(),
  error_class = $3,
  sql_state = $4
where
  id = $1
  and consumer = $2
  and status = 'replaying'
