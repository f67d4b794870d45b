-- name: find-user-with-held-events
select id, registered_at is not null as is_registered
from users
where application_id = $1 and custom_user_id = $2
