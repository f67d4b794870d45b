-- name: fold-counts
-- What engines no longer write to often: shards of a day become one row, and days of long ago their
-- month. $1 rows
with shards as materialized (
  select c.automation_id, c.version, c.node, c.outcome, c.reason, c.day, c.shard
  from automation_counters c
  where c.shard >= 0 and c.day < (now() at time zone 'UTC')::date - 1
  order by c.day
  limit $1
  for update skip locked
),
days as materialized (
  select c.automation_id, c.version, c.node, c.outcome, c.reason, c.day, c.shard
  from automation_counters c
  where c.shard < 0
    and c.day < (now() at time zone 'UTC')::date - 400
    and extract(day from c.day) <> 1
  order by c.day
  limit $1
  for update skip locked
),
old as (
  select * from shards
  union all
  select * from days
),
gone as (
  delete from automation_counters c using old o
  where c.automation_id = o.automation_id
    and c.version = o.version
    and c.node = o.node
    and c.outcome = o.outcome
    and c.reason = o.reason
    and c.day = o.day
    and c.shard = o.shard
  returning c.*
),
sums as (
  select g.automation_id, g.version, g.node, g.outcome, g.reason,
    -- include: counted-day(g.day) as day,
    g.application_id, sum(g.n) as n
  from gone g
  group by 1, 2, 3, 4, 5, 6, 7
),
folded as (
  insert into automation_counters as c (
    automation_id, version, node, outcome, reason, day, shard, application_id, n
  )
  select automation_id, version, node, outcome, reason, day, -1, application_id, n
  from sums
  order by automation_id, version, node, outcome, reason, day
  on conflict (automation_id, version, node, outcome, reason, day, shard) do update
  set n = c.n + excluded.n
)
select count(*)::int as gone from gone

-- name: keep-sent-counts
-- Of campaigns that are deleted. $1 JSON
insert into automation_counters as c (
  automation_id, version, node, outcome, reason, day, shard, application_id, n
)
select x.automation_id, x.version, x.node, 'message', x.state,
  -- include: counted-day(x.day) as day,
  -1, x.application_id, sum(x.n)::bigint
from jsonb_to_recordset($1::jsonb) as x(
    automation_id uuid, version int, node text, state text, day date, application_id uuid, n bigint
  )
group by 1, 2, 3, 4, 5, 6, 7, 8
order by 1, 2, 3, 5, 6
on conflict (automation_id, version, node, outcome, reason, day, shard) do update
set n = c.n + excluded.n
