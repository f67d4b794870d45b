select
  u.custom_user_id,
  u.fields -> 'phoneNumber' as phone,
  u.phone_e164
from users u
where
  u.application_id = $1
  and u.custom_user_id = any($2)
  and u.registered_at is not null
  and u.phone_e164 is not null
