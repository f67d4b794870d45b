-- name: read-due-shards
-- Shards with a due timer, and how late the longest due is, the latest first. One look into an
-- index for each shard, however many applications have runs. $1 shards
select s.shard,
  (extract(epoch from clock_timestamp() - due.due_at) * 1000)::float8 as "lateMs"
from generate_series(0, $1::int - 1) as s(shard)
  cross join lateral (
    select t.due_at
    from automation_timers t
    where t.shard = s.shard and not t.is_parked
    order by t.due_at
    limit 1
  ) due
where due.due_at <= clock_timestamp()
order by 2 desc
