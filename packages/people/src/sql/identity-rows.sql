-- name: find-users
select u.*
from unnest($1::uuid[], $2::text[]) as w(application_id, custom_user_id)
  cross join lateral (
    select id, application_id, custom_user_id, registered_at is not null as is_registered
    from users
    where application_id = w.application_id and custom_user_id = w.custom_user_id
    limit 1
  ) u

-- name: read-owners
select o.*
from (select distinct * from unnest($1::uuid[], $2::uuid[]) as w(application_id, service_user_id)) w
  cross join lateral (
    select i.application_id, i.service_user_id, coalesce(u.merged_into, u.id) as user_id,
      u.merged_into is null and u.custom_user_id is null as is_anonymous,
      coalesce(root.registered_at, u.registered_at) is not null as is_registered
    from user_identities i
      join users u on u.id = i.user_id
      left join users root on root.id = u.merged_into
    where i.application_id = w.application_id and i.service_user_id = w.service_user_id
    limit 1
  ) o

-- name: insert-users
insert into users (id, application_id, custom_user_id)
select *
from unnest($1::uuid[], $2::uuid[], $3::text[])
on conflict (application_id, custom_user_id) do nothing
returning id, application_id, custom_user_id

-- name: insert-identities
insert into user_identities (application_id, service_user_id, user_id, by_client_key)
select *
from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::boolean[])
on conflict do nothing
returning user_id

-- name: insert-anonymous-users
insert into users (id, application_id) select * from unnest($1::uuid[], $2::uuid[])

-- name: assign-service-user-ids
insert into user_identities (application_id, service_user_id, user_id)
select *
from unnest($1::uuid[], $2::uuid[], $3::uuid[])
