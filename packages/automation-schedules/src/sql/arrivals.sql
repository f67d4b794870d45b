-- name: take-arrivals
-- The oldest first. $1 limit
delete from automation_arrivals r
where r.ctid = any (
  array (
    select o.ctid
    from automation_arrivals o
    order by o.at
    limit $1
    for update skip locked
  )
)
returning r.automation_id, r.user_id, floor(extract(epoch from r.at) * 1000)::float8 as at

-- name: delete-arrivals-of-people
delete from automation_arrivals r where r.user_id = any($1::uuid[])
