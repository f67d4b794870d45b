update deliveries d
set
  next_at = to_timestamp(x.at_ms / 1000),
  updated_at = now()
from unnest($1::uuid[], $2::float8[]) as x(id, at_ms)
where
  d.id = x.id
  and d.state = 'pending'
  and to_timestamp(x.at_ms / 1000) > now()
returning d.id
