select
  campaign_id,
  chunk_no
from campaign_chunks
where
  pending_action is not null
  and (campaign_id, chunk_no) > ($1, $2)
order by
  1,
  2
limit 5
