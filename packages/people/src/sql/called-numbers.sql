-- name: read-phones
select u.custom_user_id, u.fields -> 'phoneNumber' as phone, u.phone_e164
from users u
where -- include: registered-by-ids(u)
  and u.phone_e164 is not null
