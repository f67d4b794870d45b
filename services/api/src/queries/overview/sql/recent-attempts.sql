-- name: list-recent-attempts
-- Reads the newest log entries of each campaign that was at work in the period: the log has an
-- entry for each attempt that ended. A large campaign may be older than the newest campaigns, so it
-- is also found by its status.
with newest as materialized (
  select id, channel, created_at, completed_at
  from campaigns
  where application_id = $1 and source <> 'test' and lane <> 'scheduled'
  order by id desc
  limit $3
),
at_work as materialized (
  select id, channel
  from newest
  where completed_at is null or completed_at >= $2
  union
  select id, channel
  from campaigns
  where application_id = $1 and lane = 'bulk' and status in ('queued', 'sending')
),
ended as materialized (
  select w.id, w.channel, e.at, e.reason,
    case
      when e.outcome = 'sent' or e.outcome is null
      then 'succeeded'
      when e.outcome = 'unknown'
      then 'unknown'
      else 'failed'
    end as outcome
  from at_work w
    cross join lateral (
      select at, type, outcome, reason, fence
      from campaign_events
      where campaign_id = w.id
      order by seq desc
      limit $4
    ) as e
  where e.at >= $2
    and (
      e.outcome in ('permanent', 'invalid_address', 'transient', 'configuration', 'unknown', 'sent')
      -- A message that a device fetches has no provider.
      or (e.type = 'delivery.waiting' and e.fence is not null)
    )
  limit $5
),
last_success as (
  select channel, max(at) as at
  from ended
  where outcome = 'succeeded'
  group by 1
)
select e.channel, e.outcome, case when e.outcome <> 'succeeded' then e.reason end as reason,
  s.at is null or e.at > s.at as "isAfterLastSuccess", count(*)::float8 as count, min(e.at) as at
from ended e left join last_success s on s.channel = e.channel
group by 1, 2, 3, 4

-- name: find-failing-since
-- When the failures began that no success followed. The counters know it where the log entries that
-- were read do not reach back far enough.
with newest as materialized (
  select id, channel
  from campaigns
  where application_id = $1 and source <> 'test' and lane <> 'scheduled'
  order by id desc
  limit $4
),
counted as materialized (
  select k.state, k.reason, k.first_at, k.last_at
  from newest n
    cross join lateral (
      select state, reason, first_at, last_at
      from campaign_counters
      where campaign_id = n.id and state in ('failed', 'sent', 'waiting') and isfinite(last_at)
      offset 0
    ) as k
  where n.channel = $2
),
last_success as (
  select max(last_at) as at
  from counted
  where state <> 'failed'
)
select coalesce(
    min(c.first_at),
    (select at from last_success where at >= $3)
  ) as at
from counted c
where c.state = 'failed'
  and c.reason not in -- include: unreachable-reasons
  and c.first_at > coalesce((select at from last_success), '-infinity')
