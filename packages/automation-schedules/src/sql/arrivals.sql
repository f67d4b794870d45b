-- name: take-arrivals
-- As many of each application, and of each of its automations. $1 limit
with recursive automation as (
  (
    select r.automation_id, r.application_id
    from automation_arrivals r
    order by r.automation_id
    limit 1
  )
  union all
  select n.automation_id, n.application_id
  from automation a
    cross join lateral (
      select r.automation_id, r.application_id
      from automation_arrivals r
      where r.automation_id > a.automation_id
      order by r.automation_id
      limit 1
    ) n
),
share as (
  select a.automation_id,
    ceil(
      $1::float8 / (select count(distinct o.application_id) from automation o)
        / count(*) over (partition by a.application_id)
    )::int as people
  from automation a
)
delete from automation_arrivals r
where r.ctid = any (
  array (
    select o.ctid
    from share s
      cross join lateral (
        select o.ctid
        from automation_arrivals o
        where o.automation_id = s.automation_id
        order by o.at, o.user_id
        limit s.people
        for update skip locked
      ) o
  )
)
returning r.automation_id, r.user_id, floor(extract(epoch from r.at) * 1000)::float8 as at

-- name: delete-arrivals-of-people
delete from automation_arrivals r where r.user_id = any($1::uuid[])
