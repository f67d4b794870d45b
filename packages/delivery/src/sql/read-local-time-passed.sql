select
  k.campaign_id as id,
  coalesce(sum(k.local_time_passed), 0)::int as passed
from campaign_chunks k
where k.campaign_id = any($1)
group by 1
