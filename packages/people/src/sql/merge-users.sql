-- name: merge-anonymous-users
update users u
set merged_into = m.user_id, updated_at = now()
from unnest($1::uuid[], $2::uuid[]) as m(anonymous_id, user_id)
where u.id = m.anonymous_id
