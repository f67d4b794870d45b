-- name: read-due-shards
-- Shards with a due timer, or a due date, and how late the longest due is, the latest first. One
-- look into each index for each shard, however many applications have runs. $1 shards
select s.shard,
  (extract(epoch from clock_timestamp() - due.due_at) * 1000)::float8 as "lateMs"
from generate_series(0, $1::int - 1) as s(shard)
  cross join lateral (
    select least(
        (
          select t.due_at
          from automation_timers t
          where t.shard = s.shard and not t.is_parked
          order by t.due_at
          limit 1
        ),
        (
          select d.due_at
          from automation_dates d
          where d.shard = s.shard and d.due_at is not null
          order by d.due_at
          limit 1
        )
      ) as due_at
  ) due
where due.due_at <= clock_timestamp()
order by 2 desc
