with
  locked as materialized (
    select i.delivery_id
    from inbox i
    where
      i.delivery_id = any($3::uuid[])
      and i.user_id = $1
      and i.leased_by = $2
      and i.lease_until is distinct from 'infinity'
    order by i.delivery_id
    for update
  )
update inbox i
set lease_until = 'infinity'
from locked
where i.delivery_id = locked.delivery_id
returning i.delivery_id
