with
  locked as materialized (
    select i.delivery_id
    from inbox i
    where
      i.user_id = $1
      and i.leased_by = $2
      and i.lease_stream = $3
      and i.lease_no > $4::float8
      and i.lease_until <> 'infinity'
    order by i.delivery_id
    for update
  )
update inbox i
set lease_until = null
from locked
where i.delivery_id = locked.delivery_id
