-- name: read-user
select u.id, u.registered_at, u.updated_at, u.phone_e164, u.fields::text, u.custom_attributes::text,
  -- include: service-user-ids(u) as service_user_ids
from users u
where u.application_id = $1 and u.custom_user_id = $2 and u.registered_at is not null
