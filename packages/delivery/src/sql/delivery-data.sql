-- name: read-delivery-data
select delivery_id, words, (extract(epoch from rendered_at) * 1000)::float8 as rendered_at,
  template_no, variant_no, renderer, filled_in
from delivery_data
where campaign_id = $1 and delivery_id = any($2::uuid[])

-- name: delete-delivery-data
delete from delivery_data x using deliveries d
where d.id = any($1::uuid[]) and x.campaign_id = d.campaign_id and x.delivery_id = d.id

-- name: find-sent-delivery
select d.custom_user_id,
  d.attempts > 0
    or exists (
      select 1 from delivery_addresses a where a.delivery_id = d.id and a.attempts > 0
    ) as is_begun
from deliveries d
where d.id = $2 and d.campaign_id = $1
