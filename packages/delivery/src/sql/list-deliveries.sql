-- name: list-deliveries
select d.id
from deliveries d
where d.campaign_id = $1
  and (d.chunk_no, d.id) > ($2::int, $3::uuid)
  and ($5::text is null or d.custom_user_id = $5)
order by d.chunk_no, d.id
limit $4
