select u.*
from
  unnest($1::uuid[], $2::text[]) as w(application_id, custom_user_id)
  cross join lateral (
    select
      id,
      application_id,
      custom_user_id,
      registered_at is not null as is_registered
    from users
    where
      application_id = w.application_id
      and custom_user_id = w.custom_user_id
    limit 1
  ) u
