update deliveries
set counted_on = null
where
  id = $1
  and counted_on = $2
  and state = 'failed'
