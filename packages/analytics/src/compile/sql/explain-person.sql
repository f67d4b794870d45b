-- name: find-registered
select u.id
from users u
where u.application_id = $1 and u.custom_user_id = $2 and u.registered_at is not null
