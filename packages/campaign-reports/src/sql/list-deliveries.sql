-- name: list-deliveries
select d.id
from deliveries d
where -- include: delivery/comes-after(d)
  and ($5::text is null or d.custom_user_id = $5)
order by d.chunk_no, d.id
limit $4
