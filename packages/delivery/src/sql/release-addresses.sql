update delivery_addresses d
set
  state = 'pending',
  owner = null,
  lease_until = null,
  updated_at = now(),
  next_at = now() + x.delay_ms * interval '1 ms'
from unnest($1::uuid[], $2::int[], $3::float8[], $4::smallint[]) as x(id, fence, delay_ms, no)
where
  d.delivery_id = x.id
  and d.address_no = x.no
  and d.fence = x.fence
  and d.state = 'claimed'
