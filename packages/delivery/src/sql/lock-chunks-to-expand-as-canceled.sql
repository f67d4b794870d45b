select k.chunk_no
from
  campaign_chunks k
  join campaigns c on c.id = k.campaign_id
    and c.status = 'canceled'
where
  k.campaign_id = $1
  and k.chunk_no = any($2)
  and k.expanded_at is null
order by 1
for update of k skip locked
