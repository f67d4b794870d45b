select
  campaign_id,
  state,
  reason,
  sum(n)::float8 as n,
  nullif(min(first_at), 'infinity') as first_at,
  nullif(max(last_at), '-infinity') as last_at
from campaign_counters
where campaign_id = any($1)
group by
  1,
  2,
  3
union all
select
  campaign_id,
  kind,
  class,
  sum(n)::float8,
  null,
  null
from campaign_tallies
where campaign_id = any($1)
group by
  1,
  2,
  3
