-- part: is-due(m)
-- $4 milliseconds
m.recheck_at <= to_timestamp($4 / 1000.0)

-- name: read-due-members
-- Of a shard, the longest due of each application: none waits behind another's.
-- Applications are looked through only if more is due than one of them may have beside others.
-- $1 shard, $2 of an application, $3 in all, $4 milliseconds
with recursive oldest as materialized (
  select m.application_id, m.slug, m.user_id, m.recheck_at
  from segment_members m
  where m.shard = $1
    and -- include: is-due(m)
  order by m.recheck_at
  limit $2::int + 1
),
application as (
  (
    select m.application_id
    from segment_members m
    where m.shard = $1 and m.recheck_at is not null and (select count(*) from oldest) > $2::int
    order by m.application_id
    limit 1
  )
  union all
  select (
      select m.application_id
      from segment_members m
      where m.shard = $1 and m.recheck_at is not null and m.application_id > a.application_id
      order by m.application_id
      limit 1
    )
  from application a
  where a.application_id is not null
),
share as materialized (
  select greatest($2::int, $3::int / greatest(count(a.application_id), 1)) as people
  from application a
)
select due.application_id, due.slug, due.user_id
from (
  select o.*, 1 as turn from oldest o where (select count(*) from oldest) <= $2::int
  union all
  select d.*
  from application a
    cross join lateral (
      select m.application_id, m.slug, m.user_id, m.recheck_at,
        row_number() over (order by m.recheck_at) as turn
      from segment_members m
      where m.shard = $1
        and m.application_id = a.application_id
        and -- include: is-due(m)
      order by m.recheck_at
      limit (select s.people from share s)
    ) d
  where a.application_id is not null
) due
order by due.turn, due.recheck_at
limit $3::int

-- name: forget-rechecks
-- $1 applications, $2 segments, $3 people, $4 milliseconds
update segment_members m
set recheck_at = null
from unnest($1::uuid[], $2::text[], $3::uuid[]) as x(application_id, slug, user_id)
where m.application_id = x.application_id and m.slug = x.slug and m.user_id = x.user_id
  and -- include: is-due(m)
