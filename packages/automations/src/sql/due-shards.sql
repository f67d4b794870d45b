-- name: read-due-shards
-- Shards with a due timer, and how late the longest due is, the latest first. $1 shards
with recursive owner as (
  select s.shard, first.application_id
  from generate_series(0, $1::int - 1) as s(shard)
    cross join lateral (
      select t.application_id
      from automation_timers t
      where t.shard = s.shard and not t.is_parked
      order by t.application_id
      limit 1
    ) first
  union all
  select o.shard, next.application_id
  from owner o
    cross join lateral (
      select t.application_id
      from automation_timers t
      where t.shard = o.shard and not t.is_parked and t.application_id > o.application_id
      order by t.application_id
      limit 1
    ) next
)
select o.shard,
  (extract(epoch from clock_timestamp() - min(due.due_at)) * 1000)::float8 as "lateMs"
from owner o
  cross join lateral (
    select t.due_at
    from automation_timers t
    where t.shard = o.shard and not t.is_parked and t.application_id = o.application_id
    order by t.due_at
    limit 1
  ) due
where due.due_at <= clock_timestamp()
group by o.shard
order by 2 desc
