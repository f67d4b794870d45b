-- name: read-delivery-contexts
select d.custom_user_id, x.run_id, x.entered_at, x.event::text as event
from deliveries d
  join delivery_contexts x on x.campaign_id = d.campaign_id and x.delivery_id = d.id
where d.campaign_id = $1 and d.custom_user_id = any($2::text[])

-- name: delete-delivery-contexts
delete from delivery_contexts x using deliveries d
where d.id = any($1::uuid[]) and x.campaign_id = d.campaign_id and x.delivery_id = d.id

-- name: forget-settled-contexts
-- What waits in the inbox was rendered. Providers are asked about unknown outcomes by what was
-- sent.
delete from delivery_contexts x
where (x.campaign_id, x.delivery_id) in (
    select o.campaign_id, o.delivery_id
    from delivery_contexts o join deliveries d on d.id = o.delivery_id
    where not o.is_kept
      and d.state not in -- include: pending-states
      and (d.state <> 'unknown' or d.updated_at < now() - interval '1 day')
    limit $1
    for update of o skip locked
  )
