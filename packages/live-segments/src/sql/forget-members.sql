-- name: delete-members-of-people
-- A build that has come to one of them goes on from the person before: it has looked at them too.
with builds as (
  update live_segment_builds b
  set built_up_to = (
    select o.custom_user_id
    from users o
    where o.application_id = u.application_id
      and o.custom_user_id < u.custom_user_id
      and o.id <> all ($1::uuid[])
    order by o.custom_user_id desc
    limit 1
  )
  from users u
  where u.id = any($1::uuid[])
    and b.application_id = u.application_id
    and b.built_up_to = u.custom_user_id
)
delete from segment_members m where m.user_id = any($1::uuid[])

-- name: delete-old-members
-- One look for each segment that has members. $1 number
with recursive known as (
  (
    select m.application_id, m.slug
    from segment_members m
    order by m.application_id, m.slug
    limit 1
  )
  union all
  select n.application_id, n.slug
  from known k
    cross join lateral (
      select m.application_id, m.slug
      from segment_members m
      where (m.application_id, m.slug) > (k.application_id, k.slug)
      order by m.application_id, m.slug
      limit 1
    ) n
)
delete from segment_members m
where m.ctid = any (
  array (
    select o.ctid
    from known k
      join segment_members o on o.application_id = k.application_id and o.slug = k.slug
    where not exists (
      select from live_segments l where l.application_id = k.application_id and l.slug = k.slug
    )
    limit $1
    for update of o skip locked
  )
)
