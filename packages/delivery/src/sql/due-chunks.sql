select
  k.campaign_id,
  k.chunk_no,
  c.application_id,
  c.channel,
  c.lane,
  k.announced_partition,
  k.announced_offset
from
  campaign_chunks k
  join campaigns c on c.id = k.campaign_id
where
  k.due_at <= now()
  and k.lane = 'express'
order by k.due_at
limit $1
