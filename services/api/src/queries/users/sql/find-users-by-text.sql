-- part: contact-of(u)
u.fields ->> 'email' as email, u.phone_e164

-- name: find-user-by-id
select u.id, $2::text as custom_user_id,
  -- include: contact-of(u)
from users u
where u.application_id = $1 and u.custom_user_id = $2 and u.registered_at is not null

-- name: find-users-by-contact
select found.id, found.custom_user_id,
  -- include: contact-of(u)
from (
  (
    select id, custom_user_id
    from users
    where application_id = $1 and email_key = lower($2) and registered_at is not null
    order by custom_user_id
    limit $4
  )
  union
  (
    select id, custom_user_id
    from users
    where application_id = $1 and phone_e164 = $3 and registered_at is not null
    order by custom_user_id
    limit $4
  )
) found
  join users u on u.id = found.id
order by found.custom_user_id
limit $4
