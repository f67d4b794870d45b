select
  chunk_no,
  pending_action
from campaign_chunks
where
  campaign_id = $1
  and chunk_no = any($2)
  and pending_action is not null
  and expanded_at is not null
