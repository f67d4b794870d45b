-- name: count-by-account
select account as name,
  coalesce(
    sum(n) filter (
      where state in -- include: delivery/success-states
    ),
    0
  )::float8 as sent,
  coalesce(
    sum(n) filter (where state in ('delivered', 'displayed', 'opened', 'clicked')), 0
  )::float8 as delivered,
  coalesce(sum(n) filter (where state = 'failed'), 0)::float8 as failed,
  coalesce(sum(n) filter (where state = 'unknown'), 0)::float8 as unknown
from campaign_account_counters
where campaign_id = $1
group by account
order by account
