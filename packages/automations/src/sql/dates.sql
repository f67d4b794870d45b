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
-- Applications are looked through only if more is due than one of them may have.
-- $1 shard, $2 of an application, $3 in all
with recursive oldest as materialized (
  select d.automation_id, d.application_id, d.user_id, d.due_at
  from automation_dates d
  where d.shard = $1 and d.due_at <= now()
  order by d.due_at
  limit $2::int + 1
),
application as (
  (
    select d.application_id
    from automation_dates d
    where d.shard = $1 and d.due_at is not null and (select count(*) from oldest) > $2::int
    order by d.application_id
    limit 1
  )
  union all
  select (
      select d.application_id
      from automation_dates d
      where d.shard = $1 and d.due_at is not null and d.application_id > a.application_id
      order by d.application_id
      limit 1
    )
  from application a
  where a.application_id is not null
)
select due.automation_id, due.application_id, due.user_id,
  (extract(epoch from due.due_at) * 1000)::float8 as due_at
from (
  select o.*, 1 as turn from oldest o where (select count(*) from oldest) <= $2::int
  union all
  select d.*
  from application a
    cross join lateral (
      select d.automation_id, d.application_id, d.user_id, d.due_at,
        row_number() over (order by d.due_at) as turn
      from automation_dates d
      where d.shard = $1 and d.application_id = a.application_id and d.due_at <= now()
      order by d.due_at
      limit $2::int
    ) d
  where a.application_id is not null
) due
order by due.turn, due.due_at
limit $3::int

-- name: delete-dates-as-they-were
-- $1 automations, $2 people, $3 when they were due, in milliseconds
delete from automation_dates d
using unnest($1::uuid[], $2::uuid[], $3::float8[]) as x(automation_id, user_id, due_ms)
where d.automation_id = x.automation_id
  and d.user_id = x.user_id
  and d.due_at = to_timestamp(x.due_ms / 1000)
