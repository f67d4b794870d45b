-- name: find-first-service-user-ids
update users u
set first_service_user_id = (
  select i.service_user_id
  from (
    select false as is_merged, created_at, service_user_id
    from user_identities
    where user_id = u.id
    union all
    select true, j.created_at, j.service_user_id
    from users o join user_identities j on j.user_id = o.id
    where o.merged_into = u.id
  ) i
  order by i.is_merged, i.created_at, i.service_user_id
  limit 1
)
from (select id from users where id = any($1) order by id for no key update) locked
where u.id = locked.id and u.first_service_user_id is null

-- name: read-first-service-user-ids
select id, first_service_user_id as first
from users
where id = any($1) and first_service_user_id is not null
