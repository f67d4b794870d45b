-- name: find-deliveries
-- `edge` is the last row of the scan, if there are more.
with edge as materialized (
  select d.chunk_no, d.id
  from deliveries d
  where -- include: delivery/comes-after(d)
  order by d.chunk_no, d.id
  offset $7
  limit 1
)
select found.id, edge.id as edge
from (select) as page
  left join edge on true
  left join lateral (
    select d.chunk_no, d.id
    from deliveries d
    where -- include: delivery/comes-after(d)
      and (d.chunk_no, d.id) <= (
        coalesce(edge.chunk_no, 2147483647),
        coalesce(edge.id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      )
      and ($5::text[] is null or d.state = any($5::text[]))
      and ($6::text[] is null or d.reason = any($6::text[]))
    order by d.chunk_no, d.id
    limit $4
  ) as found on true
order by found.chunk_no, found.id

-- name: read-delivery-position
select chunk_no as "chunkNo", id from deliveries where id = $1 and campaign_id = $2
