insert into users (id, application_id, custom_user_id)
select *
from unnest($1::uuid[], $2::uuid[], $3::text[])
on conflict (application_id, custom_user_id) do nothing
returning
  id,
  application_id,
  custom_user_id
