-- name: delete-members-of-people
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
