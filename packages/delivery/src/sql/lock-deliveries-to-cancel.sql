select
  d.id as "deliveryId",
  d.chunk_no,
  d.state,
  d.doubts,
  d.addressed_at is not null as is_addressed
from deliveries d
where
  d.campaign_id = $1
  and d.chunk_no = any($2)
  and d.addressed_at is null
  and d.state in ('pending', 'claimed', 'retry_wait', 'waiting')
order by d.id
for update of d skip locked
