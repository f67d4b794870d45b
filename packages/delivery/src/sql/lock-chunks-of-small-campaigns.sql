select
  campaign_id,
  chunk_no
from campaign_chunks
where
  campaign_id = any($1)
  and expanded_at is null
order by
  1,
  2
for update
