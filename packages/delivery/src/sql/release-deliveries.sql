update deliveries d
set
  state = 'pending',
  owner = null,
  lease_until = null,
  updated_at = now(),
  next_at = now() + x.delay_ms * interval '1 ms'
from unnest($1::uuid[], $2::int[], $3::float8[]) as x(id, fence, delay_ms)
where
  d.id = x.id
  and d.fence = x.fence
  and d.state = 'claimed'
