select chunk_no
from campaign_chunks
where
  campaign_id = $1
  and expanded_at is null
order by chunk_no
limit $2
for update skip locked
