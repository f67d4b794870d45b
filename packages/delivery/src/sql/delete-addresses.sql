with
  forgotten as (
    delete from delivery_addresses a
    where a.delivery_id = any($1)
    returning
      a.delivery_id,
      a.fence
  )
update deliveries d
set
  addressed_at = null,
  fence = greatest(d.fence, f.fence)
from
  (
    select
      delivery_id,
      max(fence) as fence
    from forgotten
    group by 1
  ) f
where d.id = f.delivery_id
