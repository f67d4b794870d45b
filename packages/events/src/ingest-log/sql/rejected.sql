-- part: rejected-columns(r)
-- include: events/micros(r.received_at) as micros,
r.request_id, r.status, r.code, r.path, r.errors, r.address, r.unlisted, r.custom_user_id

-- part: rejected-page
(
  $2::timestamptz is null
  or (
    (received_at, request_id) <= ($2::timestamptz, $3::uuid)
    and (received_at, request_id, -1) < ($2::timestamptz, $3::uuid, $4::int)
  )
)
and ($6::uuid is null or request_id = $6::uuid)
order by received_at desc, request_id desc
limit $5

-- name: list-rejected-requests
select -- include: rejected-columns(r)
from (
  (
    select *
    from refused_requests
    where application_id = $1
      and true
      and -- include: rejected-page
  )
) as r
order by r.received_at desc, r.request_id desc
limit $5

-- name: list-rejected-requests-of-user
select -- include: rejected-columns(r)
from (
  (
    select *
    from refused_requests
    where application_id = $1
      and custom_user_id = $7::text
      and -- include: rejected-page
  )
  union all
  select own.*
  from unnest($8::uuid[]) as named(id)
    cross join lateral (
      select *
      from refused_requests
      where application_id = $1
        and service_user_id = named.id
        and -- include: rejected-page
    ) as own
) as r
order by r.received_at desc, r.request_id desc
limit $5

-- name: is-rejected-request
select 1 from refused_requests where request_id = $1 and application_id = $2
