-- name: read-user
select u.id, u.registered_at, u.updated_at, u.phone_e164, u.fields::text, u.custom_attributes::text,
  array(
    select i.service_user_id::text
    from users o join user_identities i on i.user_id = o.id
    where o.id = u.id or o.merged_into = u.id
    order by i.created_at, i.service_user_id
    limit 500
  ) as service_user_ids
from users u
where u.application_id = $1 and u.custom_user_id = $2 and u.registered_at is not null
