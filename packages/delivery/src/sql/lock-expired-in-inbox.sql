-- A device that has just fetched a message may be displaying it. A device that confirmed it earlier
-- and has not displayed it will not.
with
  over as materialized (
    select i.delivery_id
    from inbox i
    where
      i.expires_at <= now()
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
    order by i.expires_at
    limit $1
  )
select d.id
from
  over
  join deliveries d on d.id = over.delivery_id
where d.state = 'waiting'
order by d.id
for update of d skip locked
