select o.*
from
  (
    select distinct *
    from unnest($1::uuid[], $2::uuid[]) as w(application_id, service_user_id)
  ) w
  cross join lateral (
    select
      i.application_id,
      i.service_user_id,
      coalesce(u.merged_into, u.id) as user_id,
      u.merged_into is null
        and u.custom_user_id is null as is_anonymous,
      coalesce(root.registered_at, u.registered_at) is not null as is_registered
    from
      user_identities i
      join users u on u.id = i.user_id
      left join users root on root.id = u.merged_into
    where
      i.application_id = w.application_id
      and i.service_user_id = w.service_user_id
    limit 1
  ) o
