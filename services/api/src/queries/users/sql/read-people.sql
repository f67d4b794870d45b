-- name: read-people
select u.custom_user_id as "customUserId", u.fields ->> 'firstName' as "firstName",
  u.fields ->> 'lastName' as "lastName", u.fields ->> 'email' as email,
  u.fields ->> 'phoneNumber' as "phoneNumber"
from users u
where u.application_id = $1
  and u.custom_user_id = any($2::text[])
  and u.registered_at is not null
