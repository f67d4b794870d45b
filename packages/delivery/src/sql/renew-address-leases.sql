update delivery_addresses d
set
  lease_until = now() + (d.lease_until - d.updated_at),
  updated_at = now()
from unnest($1::uuid[], $2::smallint[]) as x(id, no)
where
  d.delivery_id = x.id
  and d.address_no = x.no
  and d.state = 'sending'
