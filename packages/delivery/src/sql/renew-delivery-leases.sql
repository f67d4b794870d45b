update deliveries d
set
  lease_until = now() + (d.lease_until - d.updated_at),
  updated_at = now()
where
  d.id = any($1)
  and d.state = 'sending'
