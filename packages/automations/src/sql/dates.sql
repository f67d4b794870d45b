-- name: read-builds
select b.automation_id, b.build
from automation_date_builds b
where b.automation_id = any($1::uuid[])

-- name: read-dates
-- $1 automation, $2 people
select d.user_id, d.build, (extract(epoch from d.due_at) * 1000)::float8 as due_at, d.entered
from automation_dates d
where d.automation_id = $1 and d.user_id = any($2::uuid[])

-- name: put-dates
-- $1 automation, $2 application, $3 build, $4 people, $5 shards, $6 when they are due, in
-- milliseconds, $7 by what they have entered
insert into automation_dates as d (
  automation_id, application_id, build, user_id, shard, due_at, entered
)
select $1, $2, $3, x.user_id, x.shard, to_timestamp(x.due_ms / 1000), x.entered
from unnest($4::uuid[], $5::int[], $6::float8[], $7::text[]) as x(user_id, shard, due_ms, entered)
on conflict (automation_id, user_id) do update
set build = excluded.build, due_at = excluded.due_at, entered = excluded.entered

-- name: delete-dates
-- $1 automation, $2 people
delete from automation_dates d where d.automation_id = $1 and d.user_id = any($2::uuid[])

-- name: read-due-dates
-- Of a shard, the oldest of each application that has some, so that none waits behind another's.
-- $1 shard, $2 of an application, $3 in all
with due as materialized (
  select d.automation_id, d.application_id, d.user_id, d.due_at
  from automation_dates d
  where d.shard = $1 and d.due_at <= now()
  order by d.due_at
  limit 20 * $3::int
)
select t.automation_id, t.application_id, t.user_id,
  (extract(epoch from t.due_at) * 1000)::float8 as due_at
from (
  select d.*, row_number() over (partition by d.application_id order by d.due_at) as turn
  from due d
) t
where t.turn <= $2::int or (select count(distinct d.application_id) from due d) = 1
order by t.turn, t.due_at
limit $3::int

-- name: delete-dates-as-they-were
-- $1 automations, $2 people, $3 when they were due, in milliseconds
delete from automation_dates d
using unnest($1::uuid[], $2::uuid[], $3::float8[]) as x(automation_id, user_id, due_ms)
where d.automation_id = x.automation_id
  and d.user_id = x.user_id
  and d.due_at = to_timestamp(x.due_ms / 1000)
