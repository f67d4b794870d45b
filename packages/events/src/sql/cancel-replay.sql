update dead_letters
set
  status = 'waiting',
  updated_at = now()
where
  id = $1
  and status = 'replaying'
