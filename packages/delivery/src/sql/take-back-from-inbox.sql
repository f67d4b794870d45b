-- A device that has just fetched a message may be displaying it. A device that confirmed it earlier
-- and has not displayed it will not.
with
  locked as materialized (
    select i.delivery_id
    from inbox i
    where
      i.delivery_id = any($1::uuid[])
      and (
        (
          i.lease_until is null
          or i.lease_until <= now()
          or (
            i.lease_until > now() + interval '10 min'
            and i.lease_until <> 'infinity'
          )
        )
        or i.lease_until = 'infinity'
      )
    order by i.delivery_id
    for update
  )
delete from inbox i
using locked
where i.delivery_id = locked.delivery_id
returning i.delivery_id
