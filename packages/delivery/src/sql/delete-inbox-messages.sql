with
  locked as materialized (
    select i.delivery_id
    from inbox i
    where i.user_id = any($1::uuid[])
    order by i.delivery_id
    for update
  )
delete from inbox i
using locked
where i.delivery_id = locked.delivery_id
returning i.delivery_id
