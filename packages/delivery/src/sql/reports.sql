-- name: read-messages
select id,
  case when templates is null then message else templates -> 0 -> 'message' end::text as message,
  (
    select jsonb_agg(t - '{message,variants}'::text[]) from jsonb_array_elements(templates) t
  ) as templates
from campaigns
where id = any($1)

-- name: read-counters
select campaign_id, state, reason, sum(n)::float8 as n,
  nullif(min(first_at), 'infinity') as first_at, nullif(max(last_at), '-infinity') as last_at
from campaign_counters
where campaign_id = any($1)
group by 1, 2, 3
union all
select campaign_id, kind, class, sum(n)::float8, null, null
from campaign_tallies
where campaign_id = any($1)
group by 1, 2, 3

-- name: read-local-time-passed
select k.campaign_id as id, coalesce(sum(k.local_time_passed), 0)::int as passed
from campaign_chunks k
where k.campaign_id = any($1)
group by 1
