select
  k.campaign_id,
  k.chunk_no
from
  campaigns c
  join campaign_chunks k on k.campaign_id = c.id
where
  c.application_id = $1
  and c.channel = $2
  and c.status = 'sending'
  and k.due_at is not null
