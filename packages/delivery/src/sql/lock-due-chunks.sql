select
  k.campaign_id,
  k.chunk_no
from
  campaign_chunks k
  join unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no) on k.campaign_id = x.campaign_id
    and k.chunk_no = x.chunk_no
where k.due_at <= now()
for update of k skip locked
