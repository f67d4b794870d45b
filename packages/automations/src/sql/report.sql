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
-- $1 automation, $2 and $3 the first and the last moment whose days count, in milliseconds
select c.node, c.outcome, c.reason, sum(c.n)::float8 as n
from automation_counters c
where c.automation_id = $1 and -- include: in-days(c.day, $2, $3)
group by c.node, c.outcome, c.reason

-- name: read-sent-counts
-- What became of the messages of each node.
select coalesce(c.node, '') as node, k.state, k.reason, sum(k.n)::float8 as n
from campaigns c join campaign_counters k on k.campaign_id = c.id
where c.application_id = $1
  and c.automation_id = $2
  and -- include: in-days((c.created_at at time zone 'UTC')::date, $3, $4)
group by c.node, k.state, k.reason

-- name: read-totals
-- Of all automations of an application.
select c.automation_id, c.outcome, sum(c.n)::float8 as n
from automation_counters c
where c.automation_id = any($1::uuid[]) and c.node = ''
group by c.automation_id, c.outcome
