-- name: read-delivery-contexts
select delivery_id, run_id, entered_at, event::text as event
from delivery_contexts
where campaign_id = $1 and delivery_id = any($2::uuid[])

-- name: delete-delivery-contexts
delete from delivery_contexts x using deliveries d
where d.id = any($1::uuid[]) and x.campaign_id = d.campaign_id and x.delivery_id = d.id

-- name: forget-settled-contexts
-- What waits in the inbox was rendered.
delete from delivery_contexts x
where (x.campaign_id, x.delivery_id) in (
    select o.campaign_id, o.delivery_id
    from delivery_contexts o join deliveries d on d.id = o.delivery_id
    where not o.is_kept
      and d.state not in -- include: pending-states
    limit $1
    for update of o skip locked
  )
