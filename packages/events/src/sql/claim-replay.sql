update dead_letters
set
  status = 'replayed',
  replays = replays + 1,
  updated_at = now()
where
  id = $1
  and consumer = $2
  and status = 'replaying'
