-- name: count-waiting-dead-letters
select count(*)::int as n, min(created_at) as since
from (
  select created_at
  from dead_letters
  where application_id = $1 and status = 'waiting'
  order by id desc
  limit $2
) as x

-- name: list-failing-webhooks
select id, url, disabled_reason, coalesce(disabled_at, failing_since) as since
from webhook_endpoints
where application_id = $1
  and (
    disabled_reason in ('gone', 'failing')
    or (status = 'enabled' and failing_since is not null)
  )
order by id

-- name: list-failing-campaigns
with recent as materialized (
  select id, channel, created_at, status, recipients_unique
  from campaigns
  where application_id = $1 and source <> 'test' and id >= $2
  order by id desc
  limit $3
)
select r.id, r.channel, r.created_at, r.status, r.recipients_unique as recipients, c.*
from recent r
  cross join lateral (
    select coalesce(
        sum(n) filter (
          where state in -- include: delivery/success-states
        ),
        0
      )::float8 as successful,
      coalesce(sum(n) filter (where state = 'failed'), 0)::float8 as failed,
      coalesce(sum(n) filter (where state = 'unknown'), 0)::float8 as unknown,
      coalesce(sum(n) filter (where state = 'waiting'), 0)::float8 as waiting,
      coalesce(sum(n) filter (where state = 'expired'), 0)::float8 as expired,
      coalesce(
        sum(n) filter (
          where state = 'failed'
            and reason in -- include: unreachable-reasons
        ),
        0
      )::float8 as not_reachable
    from campaign_counters
    where campaign_id = r.id
  ) as c
where r.status = 'failed' or c.failed + c.expired >= $4
order by r.id desc

-- name: list-rejected-addresses
select address, count(*)::int as n, max(received_at) as last_at
from (
  select address, code, received_at
  from refused_requests
  where application_id = $1 and received_at >= $2
  order by received_at desc, request_id desc
  limit $3
) as x
where code = 'ip_not_allowed' and address is not null
group by address
order by last_at desc, address
limit $4
