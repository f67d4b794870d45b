-- part: in-days(day, from_ms, to_ms)
(
    from_ms::float8 is null
    or day >= (to_timestamp(from_ms::float8 / 1000) at time zone 'UTC')::date
  )
  and (
    to_ms::float8 is null
    or day <= (to_timestamp(to_ms::float8 / 1000) at time zone 'UTC')::date
  )

-- name: read-counts
-- Of the runs that entered on some days. A month of long ago may not have been folded yet.
-- $1 automation, $2 and $3 the first and the last moment whose days count, in milliseconds
select c.node, c.outcome, c.reason, sum(c.n)::float8 as n
from automation_counters c
  cross join lateral (
    select
      -- include: automations/counted-day(c.day) as day
  ) counted
where c.automation_id = $1
  and c.outcome <> 'message'
  and -- include: in-days(counted.day, $2, $3)
group by c.node, c.outcome, c.reason

-- name: read-sent-counts
-- What became of the messages of each node, by the day on which their campaign began: of campaigns
-- that are kept, and of those that were deleted.
select s.node, s.state, sum(s.n)::float8 as n
from (
  select coalesce(c.node, '') as node, k.state, k.n
  from campaigns c join campaign_counters k on k.campaign_id = c.id
  where c.application_id = $1
    and c.automation_id = $2
    and -- include: in-days((c.created_at at time zone 'UTC')::date, $3, $4)
  union all
  select c.node, c.reason, c.n
  from automation_counters c
    cross join lateral (
      select
        -- include: automations/counted-day(c.day) as day
    ) counted
  where c.automation_id = $2
    and c.outcome = 'message'
    and -- include: in-days(counted.day, $3, $4)
) s
group by s.node, s.state

-- name: read-totals
-- Of all automations of an application.
select c.automation_id, c.outcome, sum(c.n)::float8 as n
from automation_counters c
where c.automation_id = any($1::uuid[]) and c.node = ''
group by c.automation_id, c.outcome
