-- name: count-by-account
-- While pods of 0.1.0 run beside, a count may miss a change.
with counted as (
  select account as name, state, greatest(0, sum(n))::float8 as n
  from campaign_account_counters
  where campaign_id = $1
  group by account, state
)
select name,
  coalesce(
    sum(n) filter (
      where state in -- include: delivery/success-states
    ),
    0
  ) as sent,
  coalesce(sum(n) filter (where state in ('delivered', 'displayed', 'opened', 'clicked')), 0)
    as delivered,
  coalesce(sum(n) filter (where state = 'failed'), 0) as failed,
  coalesce(sum(n) filter (where state = 'unknown'), 0) as unknown
from counted
group by name
having sum(n) > 0
order by name
