-- name: count-registered
select count(*)::int as registered
from users u
where u.application_id = $1 and u.registered_at is not null

-- name: draw-users
-- A random order that needs no sort: one in $2 of the users, by a hash. The index has all of it.
select u.custom_user_id
from users u
where u.application_id = $1
  and u.registered_at is not null
  and mod(hashtextextended(u.custom_user_id, $3), $2) = 0
